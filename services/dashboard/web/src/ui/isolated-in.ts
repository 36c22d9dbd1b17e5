/** A part of a text. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A letter of a script that is written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
export const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/** Characters of one line without such a letter. */
const leftToRight = new RegExp(`[^\n${rightToLeft.source.slice(1)}+`, 'gu');

/**
 * What stands on one line between letters of right-to-left scripts, such as a command or a path, from its first to its last
 * character that is ASCII or a letter: it keeps its own order. Without isolation, the slash that a path begins with would stand at
 * its other end; in two isolates, the halves of a command would change places. Punctuation around it belongs to the sentence.
 */
export function isolatedIn(text: string): readonly Range[] {
  if (!hasRightToLeft(text)) return [];
  return [...text.matchAll(leftToRight)].flatMap(({ 0: stretch, index }) => {
    const first = stretch.search(/[!-~\p{L}\p{N}]/u);
    const last = /^.*[!-~\p{L}\p{N}]\p{M}*/su.exec(stretch)?.[0].length ?? 0;
    const run = stretch.slice(Math.max(first, 0), last);
    let [from, to] = [0, run.length];
    if (',.;:!?)'.includes(run[0] ?? '') && run[1] === ' ') from = 2;
    while (' ,.;:!?'.includes(run[to - 1] ?? '-')) to -= 1;
    const words = run.slice(from, to);
    const isKept = /^\p{L}(?:.*[\p{L}0-9])?\p{M}*$/su.test(words) || !/[\p{L}/\\]/u.test(words);
    return isKept ? [] : { from: index + first + from, to: index + first + to };
  });
}

/** The same for what has no elements, such as a notification: with the characters that isolate. */
export function isolate(text: string): string {
  const ranges = isolatedIn(text);
  const parts = ranges.map(
    ({ from, to }, index) =>
      `${text.slice(ranges[index - 1]?.to ?? 0, from)}\u2066${text.slice(from, to)}\u2069`,
  );
  return parts.join('') + text.slice(ranges.at(-1)?.to ?? 0);
}
