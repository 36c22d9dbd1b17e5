import { showHidden } from '@expert-relay/sdk/safe';
import type { ReactNode } from 'react';
import { withNames } from '../ui/marks.ts';
import { countMarks, endOfElements } from '../ui/written.tsx';
import { Diff } from './diff.tsx';
import { countElements, maxDiffElements, readDiff, splitDiffs } from './read-diff.ts';
import { TextParts } from './text-parts.tsx';

/**
 * The commands in right-to-left text, and the stacks of marks, of one text: behind them, it has no elements of its own. Of a text
 * with more tabs and other marked characters, none is marked, and some are named.
 */
const maxElements = 6_000;

/** A text exactly as it was written, where what is easily read as something else is marked. Its diffs are coloured. */
export function AsWritten({ text }: { text: string }): ReactNode {
  const visible = showHidden(text);
  const isMarked = countMarks(visible, maxElements) <= maxElements;
  const shown = isMarked ? visible : withNames(visible);
  const end = endOfElements(shown, maxElements);
  let left = maxDiffElements;
  const parts = splitDiffs(shown.slice(0, end)).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
    if (!part.isDiff) return <TextParts key={index} text={part.text} isMarked={isMarked} dir="auto" />;
    const files = readDiff(part.text, part.indent, left);
    left -= countElements(files);
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
    return <Diff key={index} files={files} isMarked={isMarked} />;
  });
  return [
    ...parts,
    end < shown.length && (
      <TextParts key="rest" text={shown.slice(end)} isMarked={isMarked} isPlain dir="auto" />
    ),
  ];
}
