import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import rows from '../ui/rows.module.css';
import { useAction } from '../ui/use-action.ts';
import { ActionError } from './action-error.tsx';

interface ConfirmationProps {
  readonly title: string;
  readonly isInner?: boolean;
  /** Says what is lost. */
  readonly children: ReactNode;
  /** The texts of the button that confirms: before, and while the action runs. */
  readonly submit: readonly [string, string];
  readonly onConfirm: () => Promise<unknown>;
  /** The text of the other button. */
  readonly keep?: string;
  readonly onKeep: () => void;
}

/** Asks before an action that cannot be undone. */
export function Confirmation(props: ConfirmationProps) {
  const { title, isInner = false, children, submit, onConfirm, keep = 'Keep it', onKeep } = props;
  const action = useAction(onConfirm);
  return (
    <Panel isInner={isInner} title={title}>
      <p>{children}</p>
      <div className={rows.actions}>
        <Button look="danger" isBusy={action.isBusy} onClick={() => void action.run()}>
          {submit[action.isBusy ? 1 : 0]}
        </Button>
        <Button look="quiet" onClick={onKeep}>
          {keep}
        </Button>
      </div>
      <ActionError error={action.error} />
    </Panel>
  );
}
