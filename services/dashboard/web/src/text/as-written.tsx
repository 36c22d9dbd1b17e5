import { showHidden } from '@expert-relay/sdk/safe';
import type { ReactNode } from 'react';
import { endOfElements, Written } from '../ui/written.tsx';
import { Diff } from './diff.tsx';
import { countElements, maxDiffElements, readDiff, splitDiffs } from './read-diff.ts';
import { partStyle, textParts } from './text-parts.ts';

/** The commands in right-to-left text, and the stacks of marks, of one text. Behind them, it has no elements of its own. */
const maxElements = 6_000;

/** A text exactly as it was written. Its diffs are coloured. */
export function AsWritten({ text }: { text: string }): ReactNode {
  const shown = showHidden(text);
  const end = endOfElements(shown, maxElements);
  let left = maxDiffElements;
  const parts = splitDiffs(shown.slice(0, end)).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
    if (!part.isDiff) return <Lines key={index} text={part.text} />;
    const files = readDiff(part.text, part.indent, left);
    left -= countElements(files);
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
    return <Diff key={index} files={files} />;
  });
  return [...parts, end < shown.length && <Lines key="rest" text={shown.slice(end)} isPlain />];
}

const Lines = ({ text, isPlain = false }: { text: string; isPlain?: boolean }): ReactNode =>
  textParts(text).map((lines, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
    <div key={index} data-part="" dir="auto" style={partStyle(lines)}>
      <Written text={lines} isPlain={isPlain} />
    </div>
  ));
