const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const plain = /^[ -~]+$/;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]*$/u;

/** A segmenter takes longer for each step the longer the text is: so it gets this much at a time. */
const glance = 128;

/** What is seen as one character, one after another. */
function* characters(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length; ) {
    const seen = text.slice(at, at + glance);
    const found = plain.test(seen) ? [...seen] : [...graphemes.segment(seen)].map(({ segment }) => segment);
    // The last one may go on behind what was looked at; one that is longer than that is none that anybody reads.
    if (at + glance < text.length && found.length > 1) found.pop();
    for (const character of found) {
      at += character.length;
      yield character;
    }
  }
}

function characterWidth(character: string): number {
  if (zeroWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of characters(text)) width += characterWidth(character);
  return width;
}

/** A text in parts that fit, whole characters only: of a text of any length in one go. */
export function* splitByWidth(text: string, columns: number): Generator<string, void, void> {
  let [part, width] = ['', 0];
  for (const character of characters(text)) {
    const more = characterWidth(character);
    // At least one character, or nothing would ever end.
    if (width + more > columns && part !== '') {
      yield part;
      [part, width] = ['', 0];
    }
    part += character;
    width += more;
  }
  yield part;
}
