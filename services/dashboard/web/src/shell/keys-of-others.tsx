import { useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import type { KeysOfOthers } from '../session/app-context.tsx';
import { signOut } from '../session/sign-out.ts';
import type { Storage } from '../storage/storage.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { StartPage } from './page.tsx';
import { removesTexts, SignOutPanel } from './sign-out-question.tsx';

interface KeysOfOthersProps {
  /** The name of the user who has signed in. */
  readonly name: string;
  readonly storage: Storage;
  readonly onDecide: (decision: KeysOfOthers) => void;
}

/** Asks, before the app opens, what happens to the key of another user of this browser. */
export function KeysOfOthersQuestion({ name, storage, onDecide }: KeysOfOthersProps) {
  const [isLeaving, setIsLeaving] = useState(false);
  const signingOut = useAction(() => signOut({ storage }));
  if (isLeaving) {
    return (
      <StartPage>
        <SignOutPanel signingOut={signingOut} onCancel={() => setIsLeaving(false)}>
          <p>{removesTexts}</p>
        </SignOutPanel>
        <ActionError error={signingOut.error} />
      </StartPage>
    );
  }
  return (
    <StartPage>
      <Notice
        kind="warning"
        title="This browser has the encryption key of another user."
        actions={
          <>
            <Button look="main" onClick={() => onDecide('keep')}>
              Keep that key
            </Button>
            <Button look="danger" onClick={() => onDecide('remove')}>
              Remove it
            </Button>
            <Button look="quiet" onClick={() => setIsLeaving(true)}>
              Sign out
            </Button>
          </>
        }
      >
        <p>
          You are signed in as <bdi>{name}</bdi>. If the other user is you, or shares this browser with you,
          keep the key. Once removed, only its recovery code brings it back, and unsent texts of that user are
          gone.
        </p>
      </Notice>
    </StartPage>
  );
}
