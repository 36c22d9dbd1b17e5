import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAppContext, useExpertKey } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { useStore } from '../ui/store.ts';
import type { Action } from '../ui/use-action.ts';
import { routes } from './routes.ts';
import styles from './sign-out-question.module.css';

interface SignOutPanelProps {
  readonly signingOut: Action<readonly []>;
  readonly onCancel: () => void;
  /** What it removes. */
  readonly children: ReactNode;
}

export const SignOutPanel = ({ signingOut, onCancel, children }: SignOutPanelProps) => (
  <Panel title="Sign out of this browser?">
    {children}
    <div className={styles.actions}>
      <Button look="danger" isBusy={signingOut.isBusy} onClick={() => void signingOut.run()}>
        {signingOut.isBusy ? 'Signing out…' : 'Sign out'}
      </Button>
      <Button onClick={onCancel}>Stay signed in</Button>
    </div>
  </Panel>
);

/** For a browser without the user's key. */
export const removesTexts = 'This removes all texts that you have not sent from this browser.';

/** Says what a sign-out removes, before it does. `children` names the texts. */
export function SignOutQuestion({ children, ...rest }: SignOutPanelProps) {
  const isCodeDue = useStore(useAppContext().expertKey.isCodeDue);
  const { kind } = useExpertKey();
  const hasKey = kind === 'ready' || kind === 'loading';
  return (
    <SignOutPanel {...rest}>
      <p>
        {hasKey
          ? 'This removes your key, and all texts that you have not sent, from this browser. To read and answer encrypted requests here again, you need your recovery code.'
          : removesTexts}
      </p>
      {children}
      {hasKey && (
        <p>
          {isCodeDue ? 'You have not kept a code yet. ' : 'If you do not have the code: '}
          Make a new one first, in <Link href={routes.settings}>Settings</Link>. Without it, your encrypted
          requests cannot be opened again.
        </p>
      )}
    </SignOutPanel>
  );
}
