import { useMemo } from 'react';
import { preferences } from '../preferences/preferences.ts';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { useInbox } from './inbox-context.tsx';
import { type Rows, rowsOf } from './rows.ts';
import { arrangeRows, isSnoozed } from './snoozes.ts';

/** The requests that wait for the expert and are not snoozed, in the order of the list. */
export function useWaiting(): Rows {
  const { inbox, snoozes } = useInbox();
  const rows = useStore(inbox.rows);
  const { order } = useStore(preferences);
  const all = useStore(snoozes.all);
  const now = useNow();
  return useMemo(() => {
    const waiting = rowsOf(rows, { filter: 'waiting' }, undefined);
    const arranged = arrangeRows(waiting, { order, snoozes: all, now });
    return arranged.filter((row) => !isSnoozed(row, all, now));
  }, [rows, order, all, now]);
}
