import { Fragment, type ReactNode } from 'react';

/** A part of a text. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A letter of a script that is written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Characters of one line without such a letter. */
const leftToRight = new RegExp(`[^\n${rightToLeft.source.slice(1)}+`, 'gu');
/** A character under marks that would cover other lines, or inside a mark. The last one of a keycap is not among them. */
const tall = /(?:\P{M}|^)[\p{M}\u200c\u200d]{3,}|.(?!\u20e3)\p{Me}/gsu;

/** A text with more isolates and stacks is written to occupy the page. */
const maxElements = 1_000;

/**
 * What stands on one line between letters of right-to-left scripts, such as a command or a path, from its first to its last
 * character that is ASCII or a letter: it keeps its own order. Without isolation, the slash that a path begins with would stand at
 * its other end; in two isolates, the halves of a command would change places. Punctuation around it belongs to the sentence.
 */
export function isolatedIn(text: string): readonly Range[] {
  if (!rightToLeft.test(text)) return [];
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

/** The nodes of a text: `show` makes those of some ranges, and `showRest` the others. */
function replaceIn(
  text: string,
  ranges: readonly Range[],
  show: (part: string) => ReactNode,
  showRest: (part: string) => ReactNode,
): ReactNode {
  if (ranges.length === 0) return showRest(text);
  const nodes = ranges.map(({ from, to }, index) => (
    <Fragment key={from}>
      {showRest(text.slice(ranges[index - 1]?.to ?? 0, from))}
      {show(text.slice(from, to))}
    </Fragment>
  ));
  return [...nodes, <Fragment key="end">{showRest(text.slice(ranges.at(-1)?.to))}</Fragment>];
}

const tallIn = (text: string): readonly Range[] =>
  [...text.matchAll(tall)].map(({ 0: { length }, index }) => ({ from: index, to: index + length }));

/** Stacks of marks that each need an element. */
export const countTall = (text: string): number => tallIn(text).length;

/** A text without stacks of marks that would cover other lines, such as the host of a link. */
export const Clipped = ({ text }: { text: string }): ReactNode =>
  replaceIn(
    text,
    tallIn(text),
    (part) => <span data-tall="">{part}</span>,
    (part) => part,
  );

/** Where the elements of a text would be too many for a page: at the start of a line, if there is one. */
export function endOfElements(text: string, max: number): number {
  const places = [...isolatedIn(text), ...tallIn(text)].map(({ from }) => from).sort((a, b) => a - b);
  const last = places[max];
  return last === undefined ? text.length : text.lastIndexOf('\n', last) + 1 || last;
}

/** A text of somebody else as it was written, in one paragraph. One with too many elements has its characters in order, and none. */
export function Written({ text, isPlain = false }: { text: string; isPlain?: boolean }): ReactNode {
  const isolated = isPlain ? [] : isolatedIn(text);
  if (isPlain || isolated.length + countTall(text) > maxElements) return <bdo dir="ltr">{text}</bdo>;
  return replaceIn(
    text,
    isolated,
    (words) => (
      <bdi dir="ltr">
        <Clipped text={words} />
      </bdi>
    ),
    (part) => <Clipped text={part} />,
  );
}
