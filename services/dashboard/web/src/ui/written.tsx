import { Fragment, type ReactNode } from 'react';
import { isolatedIn, type Range } from './isolated-in.ts';

/** A character under marks that would cover other lines, or inside a mark. The last one of a keycap is not among them. */
const tall = /(?:\P{M}|^)[\p{M}\u200c\u200d]{3,}|.(?!\u20e3)\p{Me}/gsu;

/** A text with more isolates and stacks is written to occupy the page. */
const maxElements = 1_000;

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
