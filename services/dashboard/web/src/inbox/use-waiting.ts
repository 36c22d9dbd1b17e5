import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { preferences } from '../storage/preferences.ts';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { useInbox } from './inbox-context.tsx';
import { type Rows, rowsOf } from './rows.ts';
import { arrangeRows, isSnoozed } from './snoozes.ts';

/** The requests that wait for the expert and are not snoozed, as their list shows them: in its order, and of the chosen agent. */
export function useWaiting(): Rows {
  const { inbox, snoozes, agent: chosenAgent } = useInbox();
  // Another list may be shown.
  useInfiniteQuery(inbox.listQuery({ filter: 'waiting' }));
  const rows = useStore(inbox.rows);
  const agent = useStore(chosenAgent);
  const { order } = useStore(preferences);
  const all = useStore(snoozes.all);
  const now = useNow();
  return useMemo(() => {
    const waiting = rowsOf(rows, 'waiting', undefined);
    const arranged = arrangeRows(waiting, { order, snoozes: all, agent, now });
    return arranged.filter((row) => !isSnoozed(row, all, now));
  }, [rows, order, all, agent, now]);
}
