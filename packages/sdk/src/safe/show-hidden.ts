/*
 * One list for terminals and web pages: what a foreign text can contain that its reader does not see, or that changes what
 * the reader sees of the characters around it.
 */

/** Controls, direction marks, separators, lone surrogates, all ignorable characters, and the blank Braille pattern. */
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]`;
/** No ordinary letter has so many marks. Joiners do not end a stack. */
const excessMarks = String.raw`(?<=[\p{M}\u200c\u200d]{8})[\p{M}\u200c\u200d]+`;
const found = new RegExp(`\\r\\n|${excessMarks}|${hidden}`, 'gu');
const isHidden = new RegExp(hidden, 'u');

const layout = new Set(['\n', '\t']);
/** Letters and emoji need them: zero-width joiners, the soft hyphen, variation selectors. */
const joiner = /^(?:\u00ad|\u200c|\u200d|\p{Variation_Selector})$/u;
/** Arabic and Hebrew sentences need them. */
const directionMark = /^[\u061c\u200e\u200f]$/;
/** A letter of a script that is written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** How far from a direction mark its letter may be. */
const markReach = 16;

/**
 * What kind of text is shown.
 *
 * @example
 * console.log(showHidden(request.question, { prose: true }));
 */
export interface ShowHiddenOptions {
  /**
   * The text is shown as paragraphs that are isolated from their surroundings, and is no command, address or name: soft hyphens
   * remain, and so do direction marks beside letters that are written from right to left. Elsewhere they, and embeddings and
   * isolates anywhere, could show the words of a sentence in another order than that of the text.
   */
  readonly prose?: boolean;
}

/**
 * Makes characters visible that could hide text, move the cursor, or change the order of other characters: `<U+202E>`. Line
 * breaks, tabs, all scripts and joined emoji remain.
 *
 * @example
 * console.log(showHidden('rm \u202efdp.txt')); // rm <U+202E>fdp.txt
 */
export function showHidden(text: string, { prose = false }: ShowHiddenOptions = {}): string {
  return text.replace(found, (match, offset: number) => {
    if (match === '\r\n') return '\n';
    if (layout.has(match)) return match;
    if (joiner.test(match)) return prose || joins(text, offset, match) ? match : show(match);
    if (prose && directionMark.test(match) && isBesideRightToLeft(text, offset)) return match;
    return show(match);
  });
}

/** Whether a joiner has an effect: it stands after a visible character that is not ASCII, or makes a keycap. */
function joins(text: string, offset: number, joiningCharacter: string): boolean {
  if (joiningCharacter === '\ufe0f' && text[offset + 1] === '\u20e3') return true;
  const before = /.$/su.exec(text.slice(Math.max(0, offset - 2), offset))?.[0] ?? '';
  if (before === '\ufe0f') return joiningCharacter === '\u200d';
  return before > '\u007f' && !joiner.test(before) && !isHidden.test(before);
}

function isBesideRightToLeft(text: string, offset: number): boolean {
  const before = text
    .slice(Math.max(0, offset - markReach), offset)
    .match(/\p{L}/gu)
    ?.at(-1);
  const after = /\p{L}/u.exec(text.slice(offset + 1, offset + markReach))?.[0];
  return [before, after].some((letter) => letter !== undefined && rightToLeft.test(letter));
}

function show(characters: string): string {
  const code = characters.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  const name = code.toString(16).toUpperCase().padStart(4, '0');
  // Only marks come in groups.
  return `<U+${name}${code < 0x10000 && characters.length > 1 ? '…' : ''}>`;
}
