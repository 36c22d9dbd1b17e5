import { Link } from 'wouter';
import { useAppContext } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { useStore } from '../ui/store.ts';
import type { Action } from '../ui/use-action.ts';
import { routes } from './routes.ts';
import styles from './sign-out-question.module.css';

interface SignOutQuestionProps {
  /** Whether this browser has the expert key. */
  readonly hasKey: boolean;
  readonly signingOut: Action<readonly []>;
  readonly onCancel: () => void;
}

/** Says what a sign-out removes, before it does. */
export function SignOutQuestion({ hasKey, signingOut, onCancel }: SignOutQuestionProps) {
  const isCodeDue = useStore(useAppContext().expertKey.isCodeDue);
  return (
    <Panel title="Sign out of this browser?">
      <p>
        {hasKey
          ? 'This removes your key, and all texts that you have not sent, from this browser. To read and answer encrypted requests here again, you need your recovery code.'
          : 'This removes all texts that you have not sent from this browser.'}
      </p>
      {hasKey && (
        <p>
          {isCodeDue ? 'You have not kept a code yet. ' : 'If you do not have the code: '}
          Make a new one first, in <Link href={routes.settings}>Settings</Link>. Without it, your encrypted
          requests cannot be opened again.
        </p>
      )}
      <div className={styles.actions}>
        <Button look="danger" isBusy={signingOut.isBusy} onClick={() => void signingOut.run()}>
          {signingOut.isBusy ? 'Signing out…' : 'Sign out'}
        </Button>
        <Button onClick={onCancel}>Stay signed in</Button>
      </div>
    </Panel>
  );
}
