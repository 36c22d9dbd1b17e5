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
  /** When the request was picked up, if that was in this browser. */
  readonly pickedUpAt: string | undefined;
  readonly onAnyway: () => void;
}

/** Stands in place of the reply area until the agent has sent what it has announced: an answer before would not count. */
export function AwaitedParts({ missing, pickedUpAt, onAnyway }: AwaitedPartsProps) {
  const [openedAt] = useState(Date.now);
  const [isOverdue, setIsOverdue] = useState(false);
  const dueAt = (pickedUpAt === undefined ? openedAt : Date.parse(pickedUpAt)) + awaitedPartsMs;
  useEffect(() => {
    const timer = setTimeout(() => setIsOverdue(true), dueAt - Date.now());
    return () => clearTimeout(timer);
  }, [dueAt]);
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
