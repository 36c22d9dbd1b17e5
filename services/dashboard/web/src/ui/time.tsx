import { useState } from 'react';
import styles from './time.module.css';
import { Tooltip } from './tooltip.tsx';
import { useNow } from './use-now.ts';

const hour = 3_600_000;
const day = 24 * hour;

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const date = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const dateWithYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

/**
 * Relative up to a day, then the date. `details`: a button of its own, which shows the exact time and UTC on hover,
 * focus or tap; else a part of something that takes the focus.
 */
export function Time({
  at,
  look = 'age',
  details = false,
}: {
  at: string;
  look?: 'age' | 'clock';
  details?: boolean;
}) {
  const now = useNow();
  const [isOpen, setIsOpen] = useState(false);
  const time = Date.parse(at);
  const text = look === 'clock' && now - time < day ? clock.format(time) : describeAge(time, now);
  if (!details) return <time dateTime={at}>{text}</time>;
  const utc = new Date(time)
    .toISOString()
    .replace(/\.\d+Z/, ' UTC')
    .replace('T', ' ');
  return (
    <Tooltip text={`${exact.format(time)} (${utc})`} isOpen={isOpen} onOpenChange={setIsOpen}>
      <button
        type="button"
        className={styles.time}
        // A tap opens it too: the tooltip's own handler would close it.
        onClick={(event) => {
          event.preventDefault();
          setIsOpen(true);
        }}
      >
        <time dateTime={at}>{text}</time>
      </button>
    </Tooltip>
  );
}

export function describeAge(time: number, now: number): string {
  const age = now - time;
  if (age < 60_000) return 'now';
  if (age < hour) return relative.format(-Math.floor(age / 60_000), 'minute');
  if (age < day) return relative.format(-Math.floor(age / hour), 'hour');
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? date : dateWithYear).format(time);
}

/** "3 h left", when it is less than twelve hours. */
export function describeTimeLeft(expiresAt: string, now: number): string | undefined {
  const left = Date.parse(expiresAt) - now;
  if (left <= 0 || left >= 12 * hour) return undefined;
  return left < hour
    ? `${Math.max(1, Math.floor(left / 60_000))} min left`
    : `${Math.floor(left / hour)} h left`;
}
