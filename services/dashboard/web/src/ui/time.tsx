import { lazy, type ReactNode, Suspense } from 'react';
import { locale } from './locale.ts';
import { createStore, useStore } from './store.ts';

const hour = 3_600_000;
const day = 24 * hour;

const date = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' });
const dateWithYear = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
/** Loaded on demand: tooltips are a large part of the program, and no list needs them. Without it, the short time is shown. */
const ExactTime = lazy(() =>
  import('./exact-time.tsx').then(
    (module) => ({ default: module.ExactTime }),
    () => ({ default: ShortTime }),
  ),
);
const ShortTime = ({ children }: { time: number; children: ReactNode }) => <>{children}</>;
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });

const currentTime = createStore(Date.now());
let isTicking = false;

function subscribe(call: () => void): () => void {
  if (!isTicking) setInterval(() => currentTime.set(Date.now()), 30_000);
  isTicking = true;
  return currentTime.subscribe(call);
}

/** The current time, updated every half minute. */
export const useNow = (): number => useStore({ ...currentTime, subscribe });

/**
 * Relative up to a day, then the date. With `details` it is a button that shows the exact time and UTC on hover, focus
 * or tap. Leave it out inside a link or a button.
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
  const time = Date.parse(at);
  const text = look === 'clock' && now - time < day ? clock.format(time) : describeAge(time, now);
  const short = <time dateTime={at}>{text}</time>;
  if (!details) return short;
  return (
    <Suspense fallback={short}>
      <ExactTime time={time}>{short}</ExactTime>
    </Suspense>
  );
}

function describeAge(time: number, now: number): string {
  const age = now - time;
  if (age < 60_000) return 'just now';
  if (age < hour) return relative.format(-Math.floor(age / 60_000), 'minute');
  if (age < day) return relative.format(-Math.floor(age / hour), 'hour');
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? date : dateWithYear).format(time);
}

/** The time that is left to answer, and how much it matters. */
export interface TimeLeft {
  readonly text: string;
  /** `now`: less than an hour. `soon`: less than four. */
  readonly urgency: 'now' | 'soon' | 'later';
}

/** "3 h left", when it is less than twelve hours, and minutes below two: an hour is not the same as almost two. */
export function describeTimeLeft(expiresAt: string, now: number): TimeLeft | undefined {
  const left = Date.parse(expiresAt) - now;
  if (left <= 0 || left >= 12 * hour) return undefined;
  const urgency = left < hour ? 'now' : left < 4 * hour ? 'soon' : 'later';
  if (left >= 2 * hour) return { text: `${Math.floor(left / hour)} h left`, urgency };
  return { text: `${Math.max(1, Math.floor(left / 60_000))} min left`, urgency };
}
