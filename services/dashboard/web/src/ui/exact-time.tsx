import { type ReactNode, useState } from 'react';
import styles from './time.module.css';
import { Tooltip } from './tooltip.tsx';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** A button around a short time, which shows the exact time and UTC. */
export function ExactTime({ time, children }: { time: number; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const utc = new Date(time)
    .toISOString()
    .replace(/\.\d+Z/, ' UTC')
    .replace('T', ' ');
  return (
    <Tooltip text={`${exact.format(time)} (${utc})`} isOpen={isOpen} onOpenChange={setIsOpen}>
      <button
        type="button"
        className={styles.time}
        // A tap opens it too. The tooltip's own handler would close it.
        onClick={(event) => {
          event.preventDefault();
          setIsOpen(true);
        }}
      >
        {children}
      </button>
    </Tooltip>
  );
}
