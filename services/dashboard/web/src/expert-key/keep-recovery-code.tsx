import { type FormEvent, useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { isConflict } from '../relay/call.ts';
import { Button, CancelButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useLeaveGuard } from '../ui/leave-guard.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Unguarded } from '../ui/press-guard.tsx';
import { CodeField } from '../ui/text-field.tsx';
import { useAction } from '../ui/use-action.ts';
import type { NewKey } from '../vault/expert-key.ts';
import styles from './expert-key.module.css';
import { DownloadCode, PrintCode } from './recovery-sheet.tsx';

interface KeepRecoveryCodeProps {
  readonly newKey: NewKey;
  readonly intro: string;
  /** The code can be kept later. */
  readonly canWait: boolean;
  readonly onDone: () => void;
  readonly onCancel: (() => void) | undefined;
}

/** Shows a new recovery code, then asks for its last group to check that the expert has saved it. */
export function KeepRecoveryCode({ newKey, intro, canWait, onDone, onCancel }: KeepRecoveryCodeProps) {
  useLeaveGuard();
  const groups = newKey.recoveryCode.split('-');
  const [step, setStep] = useState<'show' | 'check'>('show');
  const [typed, setTyped] = useState('');
  const [mistake, setMistake] = useState<string>();
  const confirming = useAction(async (isCodeKept: boolean) => {
    await newKey.confirm(isCodeKept);
    onDone();
  });

  function check(event: FormEvent) {
    event.preventDefault();
    const isRight = normalize(typed).endsWith(groups.at(-1) ?? '') && typed.trim() !== '';
    setMistake(isRight ? undefined : 'That is not the last group. Look it up where you saved the code.');
    if (isRight) void confirming.run(true);
  }

  const problem = isConflict(confirming.error) ? (
    <Notice kind="warning" title="Another device was faster.">
      <p>It has just made a key or a code. That one is in use, and this one is not.</p>
    </Notice>
  ) : (
    <ActionError error={confirming.error} />
  );

  if (step === 'show') {
    return (
      <Panel title="Keep your recovery code">
        <p>{intro}</p>
        <Code groups={groups} />
        <div className={styles.actions}>
          <CopyButton text={newKey.recoveryCode} look="plain" aria-label="Copy the recovery code" />
          <DownloadCode newKey={newKey} />
          <PrintCode newKey={newKey} />
        </div>
        <p className={styles.quiet}>
          Keep it where only you can read it, such as a password manager. It is shown once. The people who run
          this relay do not have it.
        </p>
        <div className={`${styles.actions} ${styles.inSight}`}>
          <Button look="main" onClick={() => setStep('check')}>
            I have kept it
          </Button>
          {canWait && (
            <Button isBusy={confirming.isBusy} onClick={() => void confirming.run(false)}>
              Later
            </Button>
          )}
          <CancelButton onCancel={onCancel} />
        </div>
        {problem}
      </Panel>
    );
  }
  return (
    <Panel title="Type the last group of the code">
      <Code groups={[...groups.slice(0, -1), '••••']} />
      <form className={styles.form} onSubmit={check} noValidate>
        <CodeField
          label="Last group"
          className={styles.group}
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          error={mistake}
          enterKeyHint="done"
        />
        <div className={styles.actions}>
          <Unguarded>
            <Button look="main" type="submit" isBusy={confirming.isBusy}>
              {confirming.isBusy ? 'Saving…' : 'Use this key'}
            </Button>
          </Unguarded>
          <Button look="quiet" onClick={() => setStep('show')}>
            Show the code again
          </Button>
        </div>
        {problem}
      </form>
    </Panel>
  );
}

function Code({ groups }: { groups: readonly string[] }) {
  return (
    <p className={styles.code} data-testid="recovery-code">
      {groups.map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups never change their order.
        <span key={at}>{at < groups.length - 1 ? `${group}-` : group}</span>
      ))}
    </p>
  );
}

/** The code in its canonical form: O is read as 0, I and L as 1. */
const normalize = (text: string): string =>
  text
    .replaceAll(/[\s\u002d\u2010-\u2015]/g, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
