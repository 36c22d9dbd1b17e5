import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { onEscape } from '../ui/escape.ts';
import { TextField } from '../ui/text-field.tsx';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import styles from './conversation-header.module.css';
import { codeOf } from './failure-codes.ts';
import { actionSentence, type Sentence } from './failure-sentences.ts';

interface CloseConfirmationProps {
  readonly isEncrypted: boolean | undefined;
  readonly close: (reason: string | undefined) => Promise<void>;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly onDone: () => void;
}

/** Asks before a request is ended. */
export function CloseConfirmation(props: CloseConfirmationProps) {
  const { isEncrypted, close, reason, onReason, onDone } = props;
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Sentence>();
  const keep = useRef<HTMLButtonElement>(null);
  useReturnFocus();
  useEffect(() => keep.current?.focus(), []);

  async function confirm() {
    setIsBusy(true);
    try {
      await close(reason.trim() || undefined);
      onDone();
    } catch (error) {
      setFailure(actionSentence(codeOf(error)));
      setIsBusy(false);
    }
  }

  return (
    <fieldset className={styles.confirmation} aria-labelledby="close-question" onKeyDown={onEscape(onDone)}>
      <p id="close-question">End this request? The agent can send nothing more.</p>
      <div className={styles.reason}>
        <TextField
          label="Reason (optional)"
          hint={
            isEncrypted
              ? 'The agent sees it. It is not encrypted: the relay can read it.'
              : 'The agent sees it.'
          }
          maxLength={500}
          dir="auto"
          autoComplete="off"
          value={reason}
          onChange={({ target }) => onReason(target.value)}
        />
      </div>
      <div className={styles.choices}>
        <Button look="danger" isBusy={isBusy} onClick={() => void confirm()}>
          End it now
        </Button>
        <Button ref={keep} onClick={onDone}>
          Keep open
        </Button>
      </div>
      {failure && (
        <p role="alert" className={styles.failure}>
          Not ended. {failure.what} {failure.next}
        </p>
      )}
    </fieldset>
  );
}
