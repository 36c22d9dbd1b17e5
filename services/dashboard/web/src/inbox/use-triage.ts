import type { TriageActions } from '../conversation/triage.ts';
import type { Triage } from '../generated/api.ts';
import { call } from '../relay/call.ts';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { isSnoozed } from './arrange-rows.ts';
import type { Inbox } from './inbox.ts';
import { useInbox } from './inbox-context.tsx';
import { filterOf } from './rows.ts';

/** What the expert can do with a request that waits, without a word to its agent. Undefined for one that does not wait. */
export function useTriage(requestId: string | undefined): TriageActions | undefined {
  const { inbox } = useInbox();
  const now = useNow();
  const row = useStore(inbox.rows).find((one) => one.requestId === requestId);
  if (!row || filterOf(row) !== 'waiting') return undefined;
  return {
    snoozedUntil: isSnoozed(row, now) ? row.snoozedUntil : undefined,
    ...triageOf(inbox, row.requestId),
  };
}

/** The same for any request. */
export function triageOf(inbox: Inbox, requestId: string): Omit<TriageActions, 'snoozedUntil'> {
  const change = async (path: string, method: 'PUT' | 'POST' | 'DELETE', body?: object) => {
    const url = `/api/requests/${encodeURIComponent(requestId)}/${path}`;
    inbox.noteTriage((await call<Triage>(url, { method, body })).body);
  };
  return {
    snooze: (seenUntil, until) => change('snooze', 'PUT', { seenUntil, until: until?.toISOString() }),
    endSnooze: () => change('snooze', 'DELETE'),
    settle: (seenUntil) => change('settle', 'POST', { seenUntil }),
  };
}
