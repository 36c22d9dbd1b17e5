const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]*$/u;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (!zeroWidth.test(segment)) width += wide.test(segment) ? 2 : 1;
  }
  return width;
}

/** The longest beginning of a text that fits, whole characters only, and what is left. */
export function splitAtWidth(text: string, columns: number): [fits: string, rest: string] {
  let width = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += textWidth(segment);
    // At least one character, or nothing would ever end.
    if (width > columns && index > 0) return [text.slice(0, index), text.slice(index)];
  }
  return [text, ''];
}
