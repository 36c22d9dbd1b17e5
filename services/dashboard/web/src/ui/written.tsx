import { Fragment, type ReactNode } from 'react';

interface Range {
  readonly from: number;
  readonly to: number;
}

/** A letter of a script that is written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** A character under marks that would cover other lines, or inside a mark. The last one of a keycap is not among them. */
const tall = /(?:\P{M}|^)[\p{M}\u200c\u200d]{3,}|.(?!\u20e3)\p{Me}/gsu;

/** A text with more of them is written to occupy the page. */
const maxIsolated = 100;

/**
 * The words of ASCII in a text that is written from right to left, such as a command or a path: they keep their own order. Without
 * isolation, the slash that a path begins with would stand at its other end. Punctuation around them belongs to the sentence.
 */
export function isolatedIn(text: string): readonly Range[] {
  if (!rightToLeft.test(text)) return [];
  const isolated = [...text.matchAll(/[!-~][ -~]*(?!\p{M})/gu)].flatMap(({ 0: run, index }) => {
    let [from, to] = [0, run.length];
    if (',.;:!?)'.includes(run[0] ?? '') && run[1] === ' ') from = 2;
    while (' ,.;:!?'.includes(run[to - 1] ?? '-')) to -= 1;
    const words = run.slice(from, to);
    const isKept = /^[A-Za-z](?:.*[A-Za-z0-9])?$/.test(words) || !/[A-Za-z/\\]/.test(words);
    return isKept ? [] : { from: index + from, to: index + to };
  });
  return isolated.length > maxIsolated ? [] : isolated;
}

/** The nodes of a text, of which those in some ranges are made by `show`. */
function replaceIn(text: string, ranges: readonly Range[], show: (part: string) => ReactNode): ReactNode {
  if (ranges.length === 0) return text;
  const end = ranges.at(-1)?.to;
  const nodes = ranges.map(({ from, to }, index) => (
    <Fragment key={from}>
      {text.slice(ranges[index - 1]?.to ?? 0, from)}
      {show(text.slice(from, to))}
    </Fragment>
  ));
  return [...nodes, text.slice(end)];
}

/** Stacks of marks that each need an element. */
export const countTall = (text: string): number => text.match(tall)?.length ?? 0;

/** A text without stacks of marks that would cover other lines, such as the host of a link. */
export function Clipped({ text }: { text: string }): ReactNode {
  const found = [...text.matchAll(tall)].map(({ 0: { length }, index }) => ({
    from: index,
    to: index + length,
  }));
  return replaceIn(text, found, (part) => <span data-tall="">{part}</span>);
}

/** A text of somebody else as it was written, in one paragraph. */
export const Written = ({ text }: { text: string }): ReactNode =>
  replaceIn(text, isolatedIn(text), (words) => <bdi dir="ltr">{words}</bdi>);
