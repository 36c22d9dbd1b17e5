import { showHidden } from '@expert-relay/sdk/text';
import type { ReactNode } from 'react';
import { Clipped } from '../ui/written.tsx';
import styles from './diff.module.css';
import { type DiffFile, readDiff } from './read-diff.ts';
import { partStyle, textParts } from './text-parts.ts';

/** A diff, coloured by the first character of its lines. Its files can be folded. */
export const Diff = ({ text, indent }: { text: string; indent: number }): ReactNode => (
  <div className={styles.diff} dir="ltr">
    {readDiff(showHidden(text), indent).map((file, index) =>
      file.header ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <details key={index} className={styles.file} open>
          <summary>{file.header}</summary>
          <Lines file={file} />
        </details>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <Lines key={index} file={file} />
      ),
    )}
  </div>
);

const Lines = ({ file }: { file: DiffFile }): ReactNode =>
  file.lines.flatMap(({ kind, text }, index) =>
    textParts(text).map((part, of) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
      <div key={`${index} ${of}`} data-line={kind} data-part="" style={partStyle(part)}>
        <Clipped text={part} />
      </div>
    )),
  );
