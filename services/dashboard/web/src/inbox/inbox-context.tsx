import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { showBadge } from '../notifications/notifications.ts';
import { useAppContext } from '../session/app-context.tsx';
import { waitingCount } from '../shell/page.tsx';
import { createStore, type Store, useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { createInbox, type Inbox } from './inbox.ts';
import { NewsAnnouncer } from './news-announcer.tsx';
import { NewsNotifier } from './news-notifier.tsx';
import { type Counts, rowsOf, toCount } from './rows.ts';
import { createSnoozes, isSnoozed, type Snoozes } from './snoozes.ts';
import { createVisit, type Visit } from './visit.ts';

interface InboxContents {
  readonly inbox: Inbox;
  readonly visit: Visit;
  readonly snoozes: Snoozes;
  /** The name of the agent to whose requests the lists are limited, or empty. */
  readonly agent: Store<string>;
}

const InboxContext = createContext<InboxContents | undefined>(undefined);

/** Keeps requests and counts up to date on every page, since the title shows how many requests wait. */
export function InboxProvider({ children }: { children: ReactNode }) {
  const { live, storage, expert } = useAppContext();
  // The expert changes with the expert key, the inbox does not.
  const current = useRef(expert);
  current.current = expert;
  const queries = useQueryClient();
  const value = useMemo(
    () => ({
      inbox: createInbox({ live, queries, check: (rows) => current.current.check(rows) }),
      visit: createVisit(storage),
      snoozes: createSnoozes(storage, live.tabs),
      agent: createStore(''),
    }),
    [live, queries, storage],
  );
  useEffect(() => value.inbox.follow(), [value]);
  const checkedBy = useRef(expert);
  useEffect(() => {
    // Another root may remember other questions than those that are shown.
    if (checkedBy.current !== expert) value.inbox.readAgain();
    checkedBy.current = expert;
  }, [value, expert]);
  useEffect(() => value.visit.follow(value.inbox.rows), [value]);
  useEffect(() => value.snoozes.follow(), [value]);
  return (
    <InboxContext value={value}>
      <WaitingCount />
      <NewsAnnouncer inbox={value.inbox} />
      <NewsNotifier inbox={value.inbox} />
      {children}
    </InboxContext>
  );
}

export function useInbox(): InboxContents {
  const context = useContext(InboxContext);
  if (!context) throw new Error('Only components within InboxProvider have the inbox.');
  return context;
}

/** The number of requests in each filter, without those that are snoozed. The waiting list is counted here once it was read to its end. */
export function useCounts(): Counts | undefined {
  const { inbox, snoozes } = useInbox();
  const all = useStore(snoozes.all);
  const now = useNow();
  const { data: counts } = useQuery(inbox.countsQuery);
  // Which requests are snoozed is known from the list alone: another page reads it for that.
  const enabled = Object.keys(all).length > 0;
  const { data: waiting } = useInfiniteQuery({ ...inbox.listQuery({ filter: 'waiting' }), enabled });
  const rows = useStore(inbox.rows);
  const isComplete = waiting?.pages.at(-1)?.next === undefined && waiting !== undefined;
  return useMemo(() => {
    if (!counts) return counts;
    const waitingRows = rowsOf(rows, 'waiting', undefined);
    const later = waitingRows.filter((row) => isSnoozed(row, all, now)).length;
    if (isComplete) return { ...counts, waiting: toCount(waitingRows.length - later) };
    return typeof counts.waiting === 'number'
      ? { ...counts, waiting: Math.max(0, counts.waiting - later) }
      : counts;
  }, [counts, rows, isComplete, all, now]);
}

function WaitingCount() {
  const waiting = useCounts()?.waiting;
  useEffect(() => {
    waitingCount.set(waiting ?? 0);
    if (waiting !== undefined) showBadge(Number.parseInt(String(waiting), 10));
  }, [waiting]);
  return null;
}
