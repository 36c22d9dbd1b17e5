import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { useLeaveGuard } from './leave-guard.ts';
import styles from './new-secret.module.css';
import { Panel } from './panel.tsx';

interface NewSecretProps {
  readonly title: string;
  readonly isInner?: boolean;
  readonly secret: string;
  readonly copyLabel: string;
  /** Who needs the secret, and what it allows. */
  readonly about: ReactNode;
  /** Stands below the secret. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a new secret once. */
export function NewSecret(props: NewSecretProps) {
  const { title, isInner = false, secret, copyLabel, about, children, onClose } = props;
  useLeaveGuard();
  return (
    <Panel isInner={isInner} title={title}>
      <p>Copy it now: it is shown only this once. {about}</p>
      <div className={styles.secret}>
        <code className={styles.text}>{secret}</code>
        <CopyButton look="plain" text={secret} aria-label={copyLabel} />
      </div>
      {children}
      <div>
        <Button look="main" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Panel>
  );
}
