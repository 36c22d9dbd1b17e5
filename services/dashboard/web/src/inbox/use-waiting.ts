import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { preferences } from '../storage/preferences.ts';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { arrangeRows, isSnoozed } from './arrange-rows.ts';
import { useInbox } from './inbox-context.tsx';
import { type Listing, type Row, type Rows, rowsOf } from './rows.ts';
import { useListing } from './use-listing.ts';

/** The requests that wait for the expert and are not snoozed, as their list shows them: in its order, of the chosen agent and tag. */
export function useWaiting(): Rows {
  const { inbox } = useInbox();
  const { facets } = useListing();
  const listing: Listing = useMemo(() => ({ filter: 'waiting', ...facets }), [facets]);
  // Another list may be shown.
  useInfiniteQuery(inbox.listQuery(listing));
  const rows = useStore(inbox.rows);
  const { order } = useStore(preferences);
  const now = useNow();
  return useMemo(() => {
    const arranged = arrangeRows(rowsOf(rows, listing, undefined), { order, now });
    return arranged.filter((row) => !isSnoozed(row, now));
  }, [rows, listing, order, now]);
}

/** The approvals among these that may be equal to one, by what their rows show. */
export function similarTo(waiting: Rows, requestId: string | undefined): Rows {
  const shownBy = ({ kind, status, agent, agentName, question, encrypted }: Row) =>
    JSON.stringify([kind, status, agent.keyId, agentName, question, encrypted]);
  const open = waiting.find((row) => row.requestId === requestId);
  if (open?.kind !== 'Approval' || open.status !== 'pending') return [];
  return waiting.filter((row) => row !== open && shownBy(row) === shownBy(open));
}
