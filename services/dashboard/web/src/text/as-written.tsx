import { showHidden } from '@expert-relay/sdk/text';
import type { ReactNode } from 'react';
import { Written } from '../ui/written.tsx';
import { Diff } from './diff.tsx';
import { splitDiffs } from './read-diff.ts';
import { partStyle, textParts } from './text-parts.ts';

/** A text exactly as it was written. Its diffs are coloured. */
export const AsWritten = ({ text }: { text: string }): ReactNode =>
  splitDiffs(showHidden(text)).map((part, index) =>
    part.isDiff ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
      <Diff key={index} text={part.text} indent={part.indent} />
    ) : (
      textParts(part.text).map((lines, of) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <div key={`${index} ${of}`} data-part="" dir="auto" style={partStyle(lines)}>
          <Written text={lines} />
        </div>
      ))
    ),
  );
