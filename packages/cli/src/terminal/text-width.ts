const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const plain = /^[ -~]+$/;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]*$/u;

/** The segmenter's time per step grows with the length of the text, so the text is segmented in chunks. */
const chunkLength = 128;

/** The visible characters of a text. */
function* characters(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length; ) {
    const seen = text.slice(at, at + chunkLength);
    const found = plain.test(seen) ? [...seen] : [...graphemes.segment(seen)].map(({ segment }) => segment);
    // The last character may continue in the next chunk. One that is longer than a chunk may be cut.
    if (at + chunkLength < text.length && found.length > 1) found.pop();
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

/** The number of terminal columns that a text needs. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of characters(text)) width += characterWidth(character);
  return width;
}

/** Splits a text into parts that fit, without splitting characters. */
export function* splitByWidth(text: string, columns: number): Generator<string, void, void> {
  let [part, width] = ['', 0];
  for (const character of characters(text)) {
    const more = characterWidth(character);
    // Each part has at least one character, so that the loop ends.
    if (width + more > columns && part !== '') {
      yield part;
      [part, width] = ['', 0];
    }
    part += character;
    width += more;
  }
  yield part;
}
