import { useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Facts } from '../ui/facts.tsx';
import { Panel } from '../ui/panel.tsx';
import styles from './expert-key.module.css';

const lost = [
  [
    'What is lost',
    'Your encrypted conversations so far: neither you nor anybody else can read them again. Agents that know your old key refuse the new one until their owners give them its fingerprint.',
  ],
  [
    'What is not',
    'Your account, your agents’ keys, your requests with their questions, and conversations without encryption. New requests work as before.',
  ],
] as const;

interface ReplaceExpertKeyProps {
  readonly onMake: () => void;
  readonly onCancel: () => void;
  /** Set where this browser still has the key, so that a new code can replace the lost one. */
  readonly hasKey?: boolean;
}

/** Explains what is lost before a new key replaces the old one. */
export function ReplaceExpertKey({ onMake, onCancel, hasKey = false }: ReplaceExpertKeyProps) {
  const [isUnderstood, setIsUnderstood] = useState(false);
  const [isMissing, setIsMissing] = useState(false);
  const id = useId();
  return (
    <Panel title={hasKey ? 'Make a new key' : 'Without the code'}>
      <p>
        {hasKey
          ? 'Do this if somebody else may have your key. If you only lost its code, make a new recovery code instead: then nothing is lost.'
          : 'Do you have another browser or computer where you can read encrypted requests? Its Settings make a new recovery code, and nothing is lost. Otherwise make a new key.'}
      </p>
      <Facts facts={lost} />
      <label className={styles.confirm}>
        <input
          type="checkbox"
          checked={isUnderstood}
          aria-describedby={isMissing ? id : undefined}
          aria-invalid={isMissing || undefined}
          onChange={(event) => {
            setIsUnderstood(event.target.checked);
            setIsMissing(false);
          }}
        />
        I understand that my encrypted conversations so far are lost.
      </label>
      <p id={id} role="alert" className={isMissing ? styles.mistake : 'visually-hidden'}>
        {isMissing && 'Confirm this first.'}
      </p>
      <div className={styles.actions}>
        <Button look="danger" onClick={() => (isUnderstood ? onMake() : setIsMissing(true))}>
          Make a new key
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Go back
        </Button>
      </div>
    </Panel>
  );
}
