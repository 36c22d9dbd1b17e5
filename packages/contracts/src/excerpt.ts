/** How much of a question events and lists carry; the request has all of it. */
export const excerptLength = 2000;

/**
 * The first 2,000 characters, counted as Postgres's `left()` counts them: by code point. So an event and a
 * list show the same text, and no emoji is cut in half.
 */
export function excerpt(text: string): string {
  // No text has more code points than UTF-16 units, and most questions are short.
  if (text.length <= excerptLength) return text;
  let end = 0;
  for (let count = 0; count < excerptLength && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
