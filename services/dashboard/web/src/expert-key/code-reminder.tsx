import { Button } from '../ui/button.tsx';
import { useOpener } from '../ui/use-opener.ts';
import styles from './expert-key.module.css';
import { MakeExpertKey } from './make-expert-key.tsx';

/** Asks for the recovery code that was not kept when the key was made. That one is gone: a new one takes its place. */
export function CodeReminder() {
  const { isOpen, button, open, close } = useOpener();
  return (
    <div className={styles.reminder}>
      {isOpen ? (
        <MakeExpertKey what="code" onDone={close} onCancel={close} />
      ) : (
        <>
          Your recovery code is not kept yet.
          <Button ref={button} onClick={open}>
            Show it
          </Button>
        </>
      )}
    </div>
  );
}
