import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import styles from './conversation-header.module.css';
import { clock, type SnoozeActions } from './snooze.ts';

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
  readonly snooze: SnoozeActions;
  readonly expiresAt: string;
  readonly onDone: (isSnoozed: boolean) => void;
}

/** Until when a request is moved to the end of the list. */
export function SnoozePanel({ snooze, expiresAt, onDone }: SnoozePanelProps) {
  const panel = useRef<HTMLFieldSetElement>(null);
  useReturnFocus();
  useEffect(() => panel.current?.querySelector('button')?.focus(), []);
  const set = (until: Date | undefined) => {
    snooze.set(until);
    onDone(true);
  };
  return (
    <fieldset
      ref={panel}
      className={styles.confirmation}
      aria-label="Snooze this request"
      onKeyDown={({ key }) => key === 'Escape' && onDone(false)}
    >
      <p>It moves to the end of the list, and comes back when the agent writes.</p>
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
