import type { SyntaxNodeRef } from '@lezer/common';
import type { Range } from '../ui/isolated-in.ts';
import { readAddress } from './addresses.ts';
import { type Block, looks } from './blocks.ts';

const blockKinds: Readonly<Record<string, Block['kind']>> = {
  Paragraph: 'text',
  Task: 'text',
  HorizontalRule: 'rule',
  CodeBlock: 'code',
  FencedCode: 'code',
  Table: 'table',
};

const nodeLooks: Readonly<Record<string, number>> = {
  StrongEmphasis: looks.strong,
  Emphasis: looks.em,
  Strikethrough: looks.del,
  InlineCode: looks.code,
  EmphasisMark: looks.mark,
  StrikethroughMark: looks.mark,
  CodeMark: looks.mark,
  HeaderMark: looks.mark,
  HorizontalRule: looks.mark,
  QuoteMark: looks.mark | looks.gutter,
  ListMark: looks.mark | looks.gutter,
  TableDelimiter: looks.pipe,
};

/** A link or a code within a line. */
export interface Group extends Range {
  readonly tag: 'a' | 'code' | 'bdi';
  readonly href?: string | undefined;
}

/** Whole lines of a text, and the lists and quotes that they stand in. */
export interface LinesOfBlock extends Range {
  readonly kind: Block['kind'];
  /** Whether the first line, and the last one, is the fence of a code. */
  readonly isFenced: readonly [boolean, boolean];
  readonly info: string;
  readonly depth: number;
  readonly quote: number | undefined;
  /** Where the content of the innermost list begins in a line. */
  readonly column: number;
}

/** A text with the looks of its characters. The nodes of a parser are entered and left in their order. */
export class PaintedText {
  readonly text: string;
  readonly looks: Uint8Array;
  readonly links: Group[] = [];
  readonly codes: Group[] = [];
  readonly #lines: LinesOfBlock[] = [];
  /** The lists and quotes around the node. */
  readonly #containers: { readonly isQuote: boolean; column: number }[] = [];

  constructor(text: string) {
    this.text = text;
    this.looks = new Uint8Array(text.length);
  }

  enter(node: SyntaxNodeRef): void {
    const { name, from, to } = node;
    this.paint(node, nodeLooks[name] ?? 0);
    const kind = name.startsWith('ATXHeading') ? 'heading' : blockKinds[name];
    if (kind) this.#addLines(node, kind);
    else if (name === 'Blockquote' || name === 'ListItem') {
      this.#containers.push({ isQuote: name === 'Blockquote', column: 0 });
    } else if (name === 'QuoteMark' || name === 'ListMark') this.#beginContent(to);
    else if (name === 'Link' || name === 'Image' || name === 'Autolink' || name === 'URL')
      this.#addLink(node);
    else if (name === 'InlineCode') this.codes.push({ tag: 'code', from, to });
    // A backslash before a character or a line break. Spaces may break a line, too.
    else if (name === 'Escape' || name === 'HardBreak') {
      this.paint({ from, to: from + 1 }, this.text[from] === '\\' ? looks.mark : 0);
    }
  }

  leave({ name }: SyntaxNodeRef): void {
    if (name === 'Blockquote' || name === 'ListItem') this.#containers.pop();
  }

  paint({ from, to }: Range, look: number): void {
    for (let at = look ? from : to; at < to; at += 1) this.looks[at] = (this.looks[at] ?? 0) | look;
  }

  has(at: number, look: number): boolean {
    return ((this.looks[at] ?? 0) & look) > 0;
  }

  isSpace(at: number): boolean {
    return this.text[at] === ' ' || this.text[at] === '\t';
  }

  lineStart(at: number): number {
    return this.text.lastIndexOf('\n', at - 1) + 1;
  }

  /** Behind the line break. */
  lineEnd(at: number): number {
    return this.text.indexOf('\n', at) + 1 || this.text.length;
  }

  /** All lines of the text in their order. What the parser made no block of is blank, or a mark alone. */
  *allLines(): Generator<LinesOfBlock> {
    let at = 0;
    for (const lines of this.#lines) {
      if (lines.to <= at) continue;
      yield* this.#linesBetween(at, lines.from);
      yield { ...lines, from: Math.max(at, lines.from) };
      at = lines.to;
    }
    yield* this.#linesBetween(at, this.text.length);
  }

  *#linesBetween(from: number, to: number): Generator<LinesOfBlock> {
    for (let at = from; at < to; ) {
      const start = at;
      const isBlank = this.#isBlank(at);
      while (at < to && this.#isBlank(at) === isBlank) at = this.lineEnd(at);
      const quote = this.text.slice(start, at).includes('>') ? 0 : undefined;
      const place = isBlank ? { depth: 0, quote: undefined, column: 0 } : { depth: 1, quote, column: 1 };
      yield {
        kind: isBlank ? 'blank' : 'text',
        from: start,
        to: at,
        isFenced: [false, false],
        info: '',
        ...place,
      };
    }
  }

  #isBlank(at: number): boolean {
    return this.text.slice(at, this.lineEnd(at)).trim() === '';
  }

  #addLines(node: SyntaxNodeRef, kind: Block['kind']): void {
    const [marks, info] = [node.node.getChildren('CodeMark'), node.node.getChild('CodeInfo')];
    const quote = this.#containers.findIndex(({ isQuote }) => isQuote);
    this.#lines.push({
      kind,
      from: this.lineStart(node.from),
      to: this.lineEnd(Math.max(node.from, node.to - 1)),
      isFenced: [marks.length > 0, marks.length > 1],
      info: info ? this.text.slice(info.from, info.to) : '',
      depth: this.#containers.length,
      quote: quote < 0 ? undefined : quote,
      column: this.#containers.at(-1)?.column ?? 0,
    });
  }

  /** Notes where the content behind a mark begins. */
  #beginContent(at: number): void {
    const container = this.#containers.at(-1);
    if (!container) return;
    let end = at;
    while (this.isSpace(end) && end < at + (container.isQuote ? 1 : 4)) end += 1;
    container.column = end - this.lineStart(at);
  }

  #addLink(node: SyntaxNodeRef): void {
    const last = this.links.at(-1);
    if (last && node.from < last.to) return;
    const isAddress = node.name === 'URL' || node.name === 'Autolink';
    const url = node.name === 'URL' ? node : node.node.getChild('URL');
    const href = url && readAddress(this.text.slice(url.from, url.to).replace(/^<(.*)>$/, '$1'));
    if (!href) return;
    this.links.push({ tag: 'a', from: node.from, to: node.to, href });
    this.paint(url, looks.address | (isAddress ? 0 : looks.mark));
    const marks = ['LinkMark', 'LinkTitle'].flatMap((name) => node.node.getChildren(name));
    for (const mark of marks) this.paint(mark, looks.mark);
  }
}
