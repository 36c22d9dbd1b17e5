import type { Follows } from '@expert-relay/sdk';
import { awaitedPartsMs } from '@expert-relay/sdk/internal';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import styles from './reply-area.module.css';

export function describeParts({ files, question }: Follows): string {
  const filesInWords = files === 1 ? 'a file' : `${files} files`;
  if (!question) return filesInWords;
  return files === 0 ? 'its question' : `its question and ${filesInWords}`;
}

interface AwaitedPartsProps {
  readonly missing: Follows;
  readonly onAnyway: () => void;
}

/** Stands in place of the reply area until the agent has sent what it has announced: an answer before would not count. */
export function AwaitedParts({ missing, onAnyway }: AwaitedPartsProps) {
  const [isOverdue, setIsOverdue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsOverdue(true), awaitedPartsMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.answer}>
      <p role="status" className={styles.quiet}>
        {isOverdue
          ? 'Nothing has come. The agent’s program may not be running now.'
          : `The agent is sending ${describeParts(missing)}.`}
      </p>
      {isOverdue && !missing.question && <Button onClick={onAnyway}>Answer anyway</Button>}
    </div>
  );
}
