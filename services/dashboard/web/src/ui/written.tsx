import { Fragment, type ReactNode } from 'react';
import { isolatedIn, type Range } from './isolated-in.ts';
import { codeOf, marksIn, withNames } from './marks.ts';

/** A character under marks that would cover other lines, or inside a mark. The last one of a keycap is not among them. */
const tall = /(?:\P{M}|^)[\p{M}\u200c\u200d]{3,}|.(?!\u20e3)\p{Me}/gsu;

/** A text with more isolates and stacks is written to occupy the page. */
const maxElements = 1_000;

/** The nodes of a text: `show` makes those of some ranges, and `showRest` the others. */
function replaceIn<Of extends Range>(
  text: string,
  ranges: readonly Of[],
  show: (part: string, range: Of) => ReactNode,
  showRest: (part: string) => ReactNode,
): ReactNode {
  if (ranges.length === 0) return showRest(text);
  const nodes = ranges.map((range, index) => (
    <Fragment key={range.from}>
      {showRest(text.slice(ranges[index - 1]?.to ?? 0, range.from))}
      {show(text.slice(range.from, range.to), range)}
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

interface WrittenProps {
  readonly text: string;
  /** What is easily read as something else is marked, and the marks are not part of the text. */
  readonly isMarked?: boolean | undefined;
  readonly isPlain?: boolean | undefined;
}

/** A text of somebody else as it was written, in one paragraph. One with too many elements has its characters in order, and none. */
export function Written({ text, isMarked = false, isPlain = false }: WrittenProps): ReactNode {
  const isolated = isPlain ? [] : isolatedIn(text);
  const elements = isolated.length + countTall(text) + (isMarked ? countMarks(text, maxElements) : 0);
  if (isPlain || elements > maxElements) return <bdo dir="ltr">{isMarked ? withNames(text) : text}</bdo>;
  const Part = isMarked ? Marked : Clipped;
  return replaceIn(
    text,
    isolated,
    (words) => (
      <bdi dir="ltr">
        <Part text={words} />
      </bdi>
    ),
    (part) => <Part text={part} />,
  );
}

/** Counts no further than one more than `max`. */
export function countMarks(text: string, max: number): number {
  let count = 0;
  for (const _ of marksIn(text)) {
    count += 1;
    if (count > max) break;
  }
  return count;
}

const Marked = ({ text }: { text: string }): ReactNode =>
  replaceIn(
    text,
    [...marksIn(text)],
    (part, { kind }) => (
      <span data-marked={kind} data-code={kind === 'named' ? codeOf(part) : undefined}>
        <Clipped text={part} />
      </span>
    ),
    (part) => <Clipped text={part} />,
  );
