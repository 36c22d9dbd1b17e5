import MarkdownIt, { type Env, type Token } from 'markdown-it';

/**
 * The steps for one text: positions that the parser looks at, and tokens that it makes. 30,000 characters of ordinary Markdown
 * take about 7,000.
 */
const maxSteps = 30_000;
/** Deeper lists and quotes are text. */
const maxNesting = 20;

/** A text would take too much work. It is shown unrendered. */
export class TooMuchWork extends Error {}

/** A part of a text would not be shown, though the expert signs it. It is shown unrendered. */
export class HiddenText extends Error {}

const parser = new MarkdownIt({ html: false, breaks: true, linkify: true, maxNesting });
// Only addresses that begin with their scheme.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// `readLink` decides what becomes a link, and the browser normalises it.
parser.normalizeLink = (address) => address;
parser.normalizeLinkText = (address) => address;

// Definitions of references are not shown, so they serve as comments: `[//]: # (unseen)`.
parser.disable('reference');

/** A rule that matches nothing. The parser calls it at each position that it looks at. */
function countStep({ env }: { env: Env }): false {
  const steps = Number(env.steps ?? 0) + 1;
  if (steps > maxSteps) throw new TooMuchWork();
  env.steps = steps;
  return false;
}
const alt = ['paragraph', 'reference', 'blockquote', 'list', 'table'];
parser.block.ruler.before('table', 'count_step', countStep, { alt });
parser.inline.ruler.before('text', 'count_step', countStep);

/** Notes the line at which the next block begins: the parser itself drops the spaces before a paragraph or a heading. */
parser.block.ruler.before('heading', 'note_start', ({ env }, line, _end, silent) => {
  if (!silent) env.start = line;
  return false;
});

// The parser's own rule drops the spaces that a line begins with. In a text such as YAML they mean something.
parser.inline.ruler.at('newline', (state, silent) => {
  if (state.src[state.pos] !== '\n') return false;
  if (!silent) {
    // Spaces alone: what else stands there is shown.
    let end = state.pending.length;
    while (state.pending[end - 1] === ' ') end -= 1;
    state.pending = state.pending.slice(0, end);
    state.push('softbreak', 'br', 0);
  }
  state.pos += 1;
  return true;
});

// The same for a line that ends with a backslash: the parser's own rule drops the spaces of the next one.
parser.inline.ruler.before('escape', 'hard_break', (state, silent) => {
  if (!state.src.startsWith('\\\n', state.pos)) return false;
  if (!silent) state.push('hardbreak', 'br', 0);
  state.pos += 2;
  return true;
});

parser.block.State = class extends parser.block.State {
  override push(...token: Parameters<typeof parser.block.State.prototype.push>) {
    countStep(this);
    if (token[0] === 'tr_close') this.#checkRow();
    const pushed = super.push(...token);
    if (token[0] === 'paragraph_open' || token[0] === 'heading_open')
      pushed.meta = { indentation: this.#indentation() };
    return pushed;
  }

  /** The columns by which the paragraph or heading that was found begins further inside than its block. */
  #indentation(): number {
    return Math.max(0, (this.sCount[Number(this.env.start)] ?? 0) - this.blkIndent);
  }

  /** The parser drops the cells of a row that has more of them than the head of its table. */
  #checkRow(): void {
    const start = this.tokens.findLastIndex(({ type }) => type === 'tr_open');
    const [line = 0] = this.tokens[start]?.map ?? [];
    const row = this.src.slice((this.bMarks[line] ?? 0) + (this.tShift[line] ?? 0), this.eMarks[line]);
    const cells = this.tokens.slice(start).map(({ content }) => content);
    if (withoutMarks(row) !== withoutMarks(cells.join(''))) throw new HiddenText();
  }
};

const withoutMarks = (row: string): string => row.replaceAll(/[\s|\\]/g, '');

parser.inline.State = class extends parser.inline.State {
  override push(...token: Parameters<typeof parser.inline.State.prototype.push>) {
    countStep(this);
    const pushed = super.push(...token);
    if (token[0] === 'code_inline') pushed.meta = { at: this.pos };
    return pushed;
  }
};

// The parser makes spaces of the line breaks in a code.
parser.core.ruler.after('inline', 'keep_breaks', ({ tokens }) => {
  for (const { content, children } of tokens) {
    for (const code of children ?? []) {
      if (code.type !== 'code_inline') continue;
      const from = Number(code.meta?.at) + code.markup.length;
      const written = (at: number) => content.slice(at, at + code.content.length);
      // The parser may have dropped the first space.
      const isWhole = written(from).replaceAll('\n', ' ') === code.content;
      code.content = written(isWhole ? from : from + 1);
    }
  }
});

/**
 * Parses Markdown. HTML in it is text.
 *
 * @throws TooMuchWork or HiddenText
 */
export const parseMarkdown = (text: string): readonly Token[] => parser.parse(withoutReplaced(text), {});

/** The parser makes line breaks of carriage returns, and replaces U+0000. They are shown by the signs that `showHidden` has for them. */
const withoutReplaced = (text: string): string => text.replaceAll(/\r(?!\n)/g, '␍').replaceAll('\0', '␀');
