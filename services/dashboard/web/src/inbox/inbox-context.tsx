import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { showBadge } from '../notifications/notifications.ts';
import { useAppContext } from '../session/app-context.tsx';
import { waitingCount } from '../shell/page.tsx';
import { createStore, type Store } from '../ui/store.ts';
import { createInbox, type Inbox, type PageRead } from './inbox.ts';
import { NewsAnnouncer } from './news-announcer.tsx';
import { NewsNotifier } from './news-notifier.tsx';
import type { Counts, Facets } from './rows.ts';
import type { Selection } from './selection.ts';
import { createVisit, type Visit } from './visit.ts';

interface InboxContents {
  readonly inbox: Inbox;
  readonly visit: Visit;
  /** Undefined while the expert selects no rows. */
  readonly selection: Store<Selection | undefined>;
}

const InboxContext = createContext<InboxContents | undefined>(undefined);

interface InboxProviderProps {
  /** The first page of the list, if it is being read. */
  readonly firstRead: Promise<PageRead> | undefined;
  readonly children: ReactNode;
}

/** Keeps requests and counts up to date on every page, since the title shows how many requests wait. */
export function InboxProvider({ firstRead, children }: InboxProviderProps) {
  const { live, storage, expert } = useAppContext();
  // The expert changes with the expert key, the inbox does not.
  const current = useRef(expert);
  current.current = expert;
  const queries = useQueryClient();
  const value = useMemo(
    () => ({
      inbox: createInbox({
        live,
        queries,
        firstRead,
        check: (rows) => current.current.check(rows),
      }),
      visit: createVisit(storage),
      selection: createStore<Selection | undefined>(undefined),
    }),
    [live, queries, storage, firstRead],
  );
  useEffect(() => value.inbox.follow(), [value]);
  const checkedBy = useRef(expert);
  useEffect(() => {
    // Another root may remember other questions than those that are shown.
    if (checkedBy.current !== expert) value.inbox.readAgain();
    checkedBy.current = expert;
  }, [value, expert]);
  useEffect(() => value.visit.follow(value.inbox.rows), [value]);
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

/** The number of requests in each filter, without those that are snoozed. */
export function useCounts(facets?: Facets): Counts | undefined {
  const { data } = useQuery(useInbox().inbox.countsQuery(facets));
  return useMemo(() => {
    if (!data) return undefined;
    const { filters, snoozed } = data;
    if (typeof filters.waiting !== 'number' || typeof snoozed !== 'number') return filters;
    return { ...filters, waiting: Math.max(0, filters.waiting - snoozed) };
  }, [data]);
}

function WaitingCount() {
  const waiting = useCounts()?.waiting;
  useEffect(() => {
    waitingCount.set(waiting ?? 0);
    if (waiting !== undefined) showBadge(Number.parseInt(String(waiting), 10));
  }, [waiting]);
  return null;
}
