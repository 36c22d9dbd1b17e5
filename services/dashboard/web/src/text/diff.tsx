import type { ReactNode } from 'react';
import { Written } from '../ui/written.tsx';
import styles from './diff.module.css';
import type { DiffFile } from './read-diff.ts';
import { TextParts } from './text-parts.tsx';

/** A diff, coloured by the first character of its lines. Its files can be folded. */
export const Diff = ({ files, isMarked }: { files: readonly DiffFile[]; isMarked: boolean }): ReactNode => (
  <div className={styles.diff} dir="ltr">
    {files.map((file, index) =>
      file.header ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <details key={index} className={styles.file} open>
          <summary>
            <Written text={file.header} isMarked={isMarked} />
          </summary>
          <Lines file={file} isMarked={isMarked} />
        </details>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <Lines key={index} file={file} isMarked={isMarked} />
      ),
    )}
  </div>
);

const Lines = ({ file, isMarked }: { file: DiffFile; isMarked: boolean }): ReactNode =>
  file.lines.map(({ kind, text }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
    <TextParts key={index} text={text} isMarked={isMarked} kind={kind} />
  ));
