import { useEffect, useId, useRef, useState } from 'react';
import { useExpertKey } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import styles from './fingerprint-panel.module.css';

/** Shows fingerprints. By comparing them, the expert and the agent's owner see that no third party is between them. */
export function FingerprintPanel({ onClose }: { onClose: () => void }) {
  const key = useExpertKey();
  const title = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useReturnFocus();
  useEffect(() => {
    heading.current?.scrollIntoView({ block: 'nearest' });
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section className={styles.panel} aria-labelledby={title}>
      <div className={styles.top}>
        <h2 id={title} ref={heading} tabIndex={-1} className={styles.title}>
          Check who you are talking to
        </h2>
        <Button look="quiet" onClick={onClose}>
          Hide
        </Button>
      </div>
      {key.kind === 'ready' ? (
        <Compare fingerprint={key.fingerprint} />
      ) : (
        <p>Your fingerprint appears here once your expert key is in this browser.</p>
      )}
      <p className={styles.quiet}>
        The question and the messages before it were sent without encryption. This page comes from the relay,
        so the people who run it could change it. The command line client does not have this weakness.
      </p>
    </section>
  );
}

function Compare({ fingerprint }: { fingerprint: string }) {
  const [typed, setTyped] = useState('');
  const field = useId();
  const outcome = useId();
  return (
    <>
      <p>
        This is your fingerprint. The agent’s owner sees the same number. Compare it by phone: if it differs,
        a third party is in between.
      </p>
      <div className={styles.fingerprint}>
        <code className={styles.digits}>
          {fingerprint.split(' ').map((group, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat.
            <span key={index}>{group} </span>
          ))}
        </code>
        <CopyButton text={fingerprint} aria-label="Copy your fingerprint" />
      </div>
      <div className={styles.compare}>
        <label htmlFor={field}>Fingerprint that the agent shows</label>
        <input
          id={field}
          className={styles.field}
          inputMode="numeric"
          autoComplete="off"
          spellCheck={false}
          placeholder="04918 22734 …"
          value={typed}
          aria-describedby={outcome}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Outcome id={outcome} fingerprint={fingerprint} typed={typed} />
      </div>
    </>
  );
}

function Outcome({ id, fingerprint, typed }: { id: string; fingerprint: string; typed: string }) {
  const digits = (text: string) => text.replaceAll(/[^0-9]/g, '');
  const given = digits(typed);
  const own = digits(fingerprint);
  const text =
    given === ''
      ? ''
      : given === own
        ? 'The numbers are the same: no third party is in between.'
        : own.startsWith(given)
          ? `Right so far: ${own.length - given.length} more digits.`
          : 'Not the same. Check for typing mistakes. If there are none, do not send anything confidential.';
  const isWrong = given !== '' && !own.startsWith(given);
  return (
    <p id={id} role="status" className={isWrong ? styles.wrong : given === own ? styles.right : styles.quiet}>
      {text}
    </p>
  );
}
