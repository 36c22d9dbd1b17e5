import { locale } from '../ui/locale.ts';
import type { RequestView } from './conversation-state.ts';
import { isToDecide } from './open-form.ts';

/** What the expert decides about the request on the screen without a word to its agent. A message of the agent ends it. */
export interface TriageActions {
  /** Undefined when it is not snoozed. */
  readonly snoozedUntil: string | undefined;
  /**
   * Refused when the agent has written something newer than `seenUntil`, the time of the newest message on the screen. Without a
   * time, until the agent writes.
   */
  readonly snooze: (seenUntil: string, until: Date | undefined) => Promise<void>;
  readonly endSnooze: () => Promise<void>;
  /** There is nothing to answer. Refused like a snooze, and before the first answer. */
  readonly settle: (seenUntil: string) => Promise<void>;
}

export const clock = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  hour: 'numeric',
  minute: '2-digit',
});

export const describeSnooze = (until: string, expiresAt: string): string =>
  until >= expiresAt ? 'Snoozed until the agent writes' : `Snoozed until ${clock.format(new Date(until))}`;

/** Whether the expert can say that there is nothing to answer: after an answer, and with no form that waits. */
export const canSettle = (request: Pick<RequestView, 'status' | 'decision'>): boolean =>
  request.status === 'responded' && !isToDecide(request);
