import { useEffect, useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { useAppContext } from '../session/app-context.tsx';
import { Button, CancelButton } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import type { NewKey } from '../vault/expert-key.ts';
import { KeepRecoveryCode } from './keep-recovery-code.tsx';

interface MakeExpertKeyProps {
  /** The new key is in use. */
  readonly onDone: () => void;
  readonly onCancel?: () => void;
  /** `code` makes only a new recovery code for the key of this browser. */
  readonly what?: 'key' | 'code';
}

const texts = {
  key: 'Your answers are encrypted with a key that only you can open. This code opens it in other browsers.',
  code: 'This code replaces the old one. It opens your key in other browsers.',
};

/** Makes the expert's key. It is used once the expert has confirmed the recovery code, or keeps it later. */
export function MakeExpertKey({ onDone, onCancel, what = 'key' }: MakeExpertKeyProps) {
  const { expertKey } = useAppContext();
  const [made, setMade] = useState<NewKey>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt runs it again.
  useEffect(() => {
    let isCurrent = true;
    setError(undefined);
    const making = what === 'key' ? expertKey.make() : expertKey.renewCode();
    making.then(
      (key) => isCurrent && setMade(key),
      (caught) => isCurrent && setError(caught),
    );
    return () => {
      isCurrent = false;
    };
  }, [expertKey, what, attempt]);

  if (made) {
    const rest = { canWait: what === 'key', onDone, onCancel };
    return <KeepRecoveryCode newKey={made} intro={texts[what]} {...rest} />;
  }
  if (!error) return <Skeleton lines={['40%', '90%', '60%']} />;
  return (
    <Panel title={what === 'key' ? 'Your key was not made' : 'No new code was made'}>
      <ActionError error={error} />
      <div>
        <Button look="main" onClick={() => setAttempt(attempt + 1)}>
          Try again
        </Button>
        <CancelButton onCancel={onCancel} />
      </div>
    </Panel>
  );
}
