import { parseRecoveryCode } from '@expert-relay/sdk/crypto';
import { type FormEvent, useRef, useState } from 'react';
import { describeError } from '../relay/action-error.tsx';
import { useAppContext, useExpertKey } from '../session/app-context.tsx';
import { Button, CancelButton } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Unguarded } from '../ui/press-guard.tsx';
import { LongCodeField } from '../ui/text-field.tsx';
import { useAction } from '../ui/use-action.ts';
import styles from './expert-key.module.css';
import { MakeExpertKey } from './make-expert-key.tsx';
import { ReplaceExpertKey } from './replace-expert-key.tsx';

const codeLength = 28;

/** Opens the expert's key on a second device by the recovery code. Without `onCancel` it is a part of the page. */
export function OpenExpertKey({ onDone, onCancel }: { onDone: () => void; onCancel?: () => void }) {
  const { expertKey } = useAppContext();
  const state = useExpertKey();
  const [step, setStep] = useState<'open' | 'lost' | 'make'>('open');
  const [hasStepped, setHasStepped] = useState(false);
  const [code, setCode] = useState('');
  const [mistake, setMistake] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const opening = useAction(async () => {
    try {
      await expertKey.open(code);
    } catch (error) {
      setMistake(await describeMistake(code, error));
      field.current?.focus();
      return;
    }
    onDone();
  });

  if (step === 'lost') {
    return <ReplaceExpertKey onMake={() => setStep('make')} onCancel={() => setStep('open')} />;
  }
  if (step === 'make') return <MakeExpertKey onDone={onDone} onCancel={() => setStep('open')} />;

  function open(event: FormEvent) {
    event.preventDefault();
    setMistake(undefined);
    void opening.run();
  }

  return (
    <Panel
      title={state.kind === 'replaced' ? 'Your key was replaced' : 'Open your key'}
      isPartOfPage={!onCancel && !hasStepped}
    >
      {state.kind === 'locked' && state.wasMadeMeanwhile && (
        <Notice kind="warning" title="Another device has just made your key.">
          <p>
            That key is in use, so the code that you saw here is not valid. Enter the code of the other
            device.
          </p>
        </Notice>
      )}
      <p>
        {state.kind === 'replaced' && 'Another device has made a new key. '}
        Enter your recovery code to read and answer encrypted requests here.
      </p>
      <form className={styles.form} onSubmit={open} noValidate>
        <LongCodeField
          ref={field}
          label="Recovery code"
          hint="28 letters and digits. Spaces, dashes and lower case do not matter."
          className={styles.input}
          value={code}
          onValue={setCode}
          error={mistake}
        />
        <div className={styles.actions}>
          <Unguarded>
            <Button look="main" type="submit" isBusy={opening.isBusy}>
              {opening.isBusy ? 'Opening…' : 'Open my key'}
            </Button>
          </Unguarded>
          <Button
            look="quiet"
            onClick={() => {
              setHasStepped(true);
              setStep('lost');
            }}
          >
            I lost my code
          </Button>
          <CancelButton onCancel={onCancel} />
        </div>
      </form>
    </Panel>
  );
}

/** Says what is wrong with a code, and what to do. */
async function describeMistake(code: string, error: unknown): Promise<string> {
  if (!(error instanceof Error) || error.name !== 'RelayError') return describeError(error);
  if ('reason' in error && error.reason === 'malformed_vault') {
    return 'The copy of your key at the relay is damaged, so no code opens it. A browser that still has the key can save it again: choose New recovery code in its Settings.';
  }
  const length = code.replaceAll(/[^0-9a-z]/gi, '').length;
  if (length === 0) return 'Enter the code that you kept when you made your key.';
  if (length !== codeLength) {
    return `A recovery code has ${codeLength} letters and digits, and this one has ${length}. Compare it with what you kept.`;
  }
  const isMistyped = await parseRecoveryCode(code).then(
    () => false,
    () => true,
  );
  return isMistyped
    ? 'There is a typing mistake in this code. Compare it with what you kept, group by group.'
    : 'This code opens another key, or was replaced by a newer one. Enter the code that was shown last.';
}
