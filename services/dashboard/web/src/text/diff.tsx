import type { ReactNode } from 'react';
import { Written } from '../ui/written.tsx';
import styles from './diff.module.css';
import type { DiffFile } from './read-diff.ts';
import { partStyle, textParts } from './text-parts.ts';

/** A diff, coloured by the first character of its lines. Its files can be folded. */
export const Diff = ({ files }: { files: readonly DiffFile[] }): ReactNode => (
  <div className={styles.diff} dir="ltr">
    {files.map((file, index) =>
      file.header ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <details key={index} className={styles.file} open>
          <summary>
            <Written text={file.header} />
          </summary>
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
        <Written text={part} />
      </div>
    )),
  );
