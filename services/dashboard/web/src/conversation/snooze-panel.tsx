import { useEffect, useRef } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { Button } from '../ui/button.tsx';
import { onEscape } from '../ui/escape.ts';
import { useAction } from '../ui/use-action.ts';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import styles from './conversation-header.module.css';
import { clock } from './triage.ts';

const hour = 3_600_000;

function choices(expiresAt: string): { label: string; until: Date }[] {
  const now = Date.now();
  const tomorrow = new Date(now);
  tomorrow.setDate(tomorrow.getDate() + 1);
  tomorrow.setHours(9, 0, 0, 0);
  return [
    { label: 'For 1 hour', until: new Date(now + hour) },
    { label: 'For 4 hours', until: new Date(now + 4 * hour) },
    { label: `Until ${clock.format(tomorrow)}`, until: tomorrow },
  ].filter(({ until }) => until.getTime() < Date.parse(expiresAt));
}

interface SnoozePanelProps {
  /** How many requests are snoozed at once. */
  readonly count?: number;
  /** Without a time: until the agent writes. */
  readonly snooze: (until: Date | undefined) => Promise<void>;
  readonly expiresAt: string;
  readonly onDone: (isSnoozed: boolean) => void;
}

/** Until when a request is moved to the end of the list. */
export function SnoozePanel({ count = 1, snooze, expiresAt, onDone }: SnoozePanelProps) {
  const panel = useRef<HTMLFieldSetElement>(null);
  useReturnFocus();
  useEffect(() => panel.current?.querySelector('button')?.focus(), []);
  const action = useAction(snooze);
  const set = async (until: Date | undefined) => {
    if (await action.run(until)) onDone(true);
  };
  return (
    <fieldset
      ref={panel}
      className={styles.confirmation}
      aria-label={count === 1 ? 'Snooze this request' : `Snooze ${count} requests`}
      onKeyDown={onEscape(() => onDone(false))}
    >
      <p>
        {count === 1
          ? 'It moves to the end of the list, and comes back at that time or when the agent writes.'
          : 'They move to the end of the list. Each comes back at that time or when its agent writes.'}
      </p>
      <ActionError error={action.error} />
      <div className={styles.choices}>
        {choices(expiresAt).map(({ label, until }) => (
          <Button key={label} onClick={() => set(until)}>
            {label}
          </Button>
        ))}
        <Button onClick={() => set(undefined)}>Until the agent writes</Button>
        <Button look="quiet" onClick={() => onDone(false)}>
          Cancel
        </Button>
      </div>
    </fieldset>
  );
}
