import { isolatedIn, type Range } from '../ui/isolated-in.ts';
import { type Block, type Inline, looks, type Table } from './blocks.ts';
import type { Group, LinesOfBlock, PaintedText } from './painted-text.ts';
import { maxBlockLength, splitText } from './split-text.ts';

/** Makes blocks of the lines of a text. */
export class BlockMaker {
  /** What the blocks made so far become on the page, besides one element for each. */
  elements = 0;
  readonly #painted: PaintedText;
  readonly #text: string;

  constructor(painted: PaintedText) {
    this.#painted = painted;
    this.#text = painted.text;
  }

  make(lines: LinesOfBlock): Block[] {
    const { from, to, kind, depth, quote, column, info, isFenced } = lines;
    const painted = this.#painted;
    const place = { depth, quote };
    if (kind === 'code') {
      const start = isFenced[0] ? painted.lineEnd(from) : from;
      const end = isFenced[1] ? painted.lineStart(to - 1) : to;
      const language = /^[\w+#-]{1,20}(?!\S)/.exec(info)?.[0].toLowerCase();
      const fences = [this.#text.slice(from, start), this.#text.slice(end, to)] as const;
      const indent = this.#gutterEnd(from, column) - from;
      return [{ kind, fences, body: this.#text.slice(start, end), language, indent, ...place }];
    }
    for (let at = from; at < to; at = painted.lineEnd(at)) {
      painted.paint({ from: at, to: this.#gutterEnd(at, column) }, looks.gutter);
    }
    const table = kind === 'table' && this.#tableOf(lines);
    if (table) return [{ ...table, ...place }];
    let at = from;
    return splitText(this.#text.slice(from, to)).map((part) => {
      const content = this.#contentOf({ from: at, to: at + part.length });
      at += part.length;
      return { kind: kind === 'table' ? 'text' : kind, content, ...place };
    });
  }

  /** The end of the marks and spaces that a line begins with, since it stands in a list or a quote. */
  #gutterEnd(from: number, column: number): number {
    const painted = this.#painted;
    const isMark = (at: number) => at >= from && painted.has(at, looks.gutter);
    let at = from;
    while (isMark(at) || (painted.isSpace(at) && (at - from < column || isMark(at - 1)))) at += 1;
    return at;
  }

  /** Undefined for a table with marks of a list or a quote, or with a very long row. */
  #tableOf({ from, to }: Range): Table | undefined {
    const painted = this.#painted;
    const rows: Range[][] = [];
    for (let at = from; at < to; at = painted.lineEnd(at)) {
      const end = painted.lineEnd(at);
      const gutter = this.#text.slice(at, this.#gutterEnd(at, 0));
      if (end - at > maxBlockLength || gutter.trim() !== '') return undefined;
      rows.push(this.#cellsOf(at, end));
    }
    const [head = [], , ...body] = rows;
    const second = painted.lineEnd(from);
    const delimiters = this.#text.slice(second, painted.lineEnd(second)).match(/:?-+:?/g);
    const columns = head.map((cell, index) => ({
      title: this.#text.slice(cell.from, cell.to),
      align: alignOf(delimiters?.[index]),
    }));
    this.elements += rows.length;
    const cellOf = (cell: Range): Inline[] => {
      this.elements += 1;
      return this.#contentOf(cell);
    };
    return { kind: 'table', rows: [head, ...body].map((cells) => cells.map(cellOf)), columns };
  }

  #cellsOf(from: number, to: number): Range[] {
    const cells: Range[] = [];
    let start = from;
    for (let at = from; at <= to; at += 1) {
      if (at < to && !this.#painted.has(at, looks.pipe)) continue;
      const cell = this.#text.slice(start, at);
      const trimmed = start + cell.length - cell.trimStart().length;
      cells.push({ from: trimmed, to: trimmed + cell.trim().length });
      start = at + 1;
    }
    const isEmpty = (cell: Range | undefined) => cell?.from === cell?.to;
    // Before the first pipe and behind the last one there is nothing, as a rule.
    if (isEmpty(cells[0])) cells.shift();
    if (cells.length > 1 && isEmpty(cells.at(-1))) cells.pop();
    return cells;
  }

  #contentOf(range: Range): Inline[] {
    const isInside = ({ from, to }: Range) => from >= range.from && to <= range.to;
    const links = this.#painted.links.filter(isInside);
    const codes = this.#painted.codes.filter(isInside);
    const runs = isolatedIn(this.#text.slice(range.from, range.to))
      .map(({ from, to }): Group => {
        const run = { from: this.#gutterEnd(range.from + from, 0), to: range.from + to };
        // A link or a code that is partly in it keeps its own order.
        for (const group of [...links, ...codes]) {
          if (group.from < run.from && group.to > run.from) run.from = group.to;
          else if (group.from < run.to && group.to > run.to) run.to = group.from;
        }
        return { tag: 'bdi', ...run };
      })
      .filter((run) => run.from < run.to);
    return this.#nest(range, [runs, links, codes]);
  }

  #nest({ from, to }: Range, [groups, ...inner]: readonly (readonly Group[])[]): Inline[] {
    if (!groups) return this.#pieces(from, to);
    const content: Inline[] = [];
    let at = from;
    for (const group of groups) {
      if (group.from < at || group.to > to) continue;
      const { tag, href } = group;
      content.push(...this.#nest({ from: at, to: group.from }, inner));
      content.push({ tag, href, children: this.#nest(group, inner) });
      this.elements += 1;
      at = group.to;
    }
    return [...content, ...this.#nest({ from: at, to }, inner)];
  }

  /** Characters that look the same stand together. */
  #pieces(from: number, to: number): Inline[] {
    const pieces: Inline[] = [];
    for (let at = from; at < to; ) {
      const start = at;
      const look = this.#painted.looks[start] ?? 0;
      while (at < to && this.#painted.looks[at] === look) at += 1;
      pieces.push({ text: this.#text.slice(start, at), look });
      if (look) this.elements += 1;
    }
    return pieces;
  }
}

function alignOf(delimiter = ''): Table['columns'][number]['align'] {
  if (!delimiter.endsWith(':')) return 'start';
  return delimiter.startsWith(':') ? 'center' : 'right';
}
