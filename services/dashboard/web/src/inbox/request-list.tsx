import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { CallError } from '../relay/call.ts';
import { PageHeading } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { preferences } from '../storage/preferences.ts';
import { Button } from '../ui/button.tsx';
import { isNarrow } from '../ui/is-narrow.ts';
import { Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { FilterTabs, useFilter } from './filter-tabs.tsx';
import { useInbox } from './inbox-context.tsx';
import { ListOptions } from './list-options.tsx';
import styles from './request-list.module.css';
import { RowSkeleton } from './row-skeleton.tsx';
import { type Filter, foundRows, type Rows, rowsOf } from './rows.ts';
import { SearchField, useSearchText } from './search-field.tsx';
import { agentOf, arrangeRows } from './snoozes.ts';
import { VirtualRows } from './virtual-rows.tsx';

/** Shorter lists need no order, unless they were longer before: nothing jumps while requests are answered. */
const minForOptions = 4;
/** So many requests are read to find those with the least time left. */
const maxSorted = 1_000;

/** What an empty list says. */
const emptyTexts: Record<Filter, readonly [string, string]> = {
  waiting: ['Nothing is waiting for you.', 'New requests appear here at once.'],
  answered: [
    'No answered requests.',
    'A request that you answered stays here until the agent writes again or the request ends.',
  ],
  ended: ['No request has ended yet.', 'Requests that were ended or have expired are kept here for a while.'],
};

interface RequestListProps {
  readonly selected: string | undefined;
  /** Is called when a list was read, also an empty one. */
  readonly onListed: (isListed: true) => void;
}

/** The search field, the filters and the requests, newest activity first. */
export function RequestList({ selected, onListed }: RequestListProps) {
  const { inbox, snoozes, agent: chosenAgent } = useInbox();
  const { filter, hrefOf } = useFilter();
  const search = useSearchText();
  const searchField = useRef<HTMLInputElement>(null);
  const [, navigate] = useLocation();
  const listing = useMemo(
    // A search covers all lists.
    () => (search.settled ? { q: search.settled } : { filter }),
    [filter, search.settled],
  );
  const list = useInfiniteQuery(inbox.listQuery(listing));
  const isCounting = useQuery(inbox.countsQuery).isPending;
  const known = useStore(inbox.rows);
  const pages = list.data?.pages;
  const isRead = pages !== undefined;
  useEffect(() => {
    if (isRead) onListed(true);
  }, [isRead, onListed]);
  const { order } = useStore(preferences);
  const allSnoozes = useStore(snoozes.all);
  const now = useNow();
  const agent = useStore(chosenAgent);
  const listed = useMemo(() => {
    if (!pages) return undefined;
    const ids = pages.flatMap((page) => page.ids);
    if (listing.filter === undefined) return foundRows(known, ids);
    const isWhole = pages.at(-1)?.next === undefined;
    const end = isWhole ? undefined : pages.findLast(({ last }) => last)?.last;
    return rowsOf(known, listing.filter, end);
  }, [known, listing, pages]);
  const agents = useMemo(() => [...new Set((listed ?? []).map(agentOf))].filter(Boolean).sort(), [listed]);
  const isWaiting = filter === 'waiting' && !search.settled;
  const rows = useMemo(
    () =>
      listed &&
      arrangeRows(listed, {
        order: isWaiting ? order : 'newest',
        snoozes: isWaiting ? allSnoozes : {},
        agent,
        now,
      }),
    [listed, isWaiting, order, allSnoozes, agent, now],
  );
  const isSorted = isWaiting && order === 'time-left' && (listed?.length ?? 0) < maxSorted;
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list;
  useEffect(() => {
    // The request with the least time left may be on the last page.
    if (isSorted && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isSorted, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const wasLong = useRef(false);
  wasLong.current ||= (listed?.length ?? 0) >= minForOptions;
  const hasOptions = wasLong.current && (listed?.length ?? 0) > 0;
  const shown = useRef<Rows>([]);
  useEffect(() => {
    if (rows) shown.current = rows;
  }, [rows]);

  const selectedAt = rows?.findIndex(({ requestId }) => requestId === selected) ?? -1;
  /** Where the open request was before it left this list, such as after an answer. */
  const lastAt = useRef(0);
  useEffect(() => {
    if (selectedAt >= 0) lastAt.current = selectedAt;
  }, [selectedAt]);

  const open = (step: 1 | -1) => {
    const hasLeft = selected !== undefined && selectedAt < 0;
    const at = hasLeft ? lastAt.current + Math.min(step, 0) : selectedAt < 0 ? 0 : selectedAt + step;
    const next = rows?.[Math.min(at, selectedAt < 0 ? rows.length - 1 : at)];
    // After j and k the focus stays where it is.
    if (next) navigate(hrefOf(routes.request(next.requestId)), { state: { keepsFocus: true } });
  };
  useShortcuts({
    j: () => (isNarrow() ? moveFocus(1) : open(1)),
    k: () => (isNarrow() ? moveFocus(-1) : open(-1)),
    '/': () => searchField.current?.focus(),
  });

  return (
    <div className={styles.list}>
      <div className={styles.head}>
        <PageHeading className="visually-hidden" takesFocus={selected === undefined}>
          Inbox
        </PageHeading>
        <SearchField ref={searchField} text={search.text} onChange={search.change} />
        <FilterTabs filter={search.settled ? undefined : filter} onChoose={() => search.change('')} />
        {hasOptions && (
          <ListOptions agents={agents} agent={agent} hasOrder={isWaiting} onAgent={chosenAgent.set} />
        )}
        {isWaiting && order === 'time-left' && !isSorted && hasNextPage && (
          <p className={styles.note}>Only the newest {maxSorted.toLocaleString()} are sorted.</p>
        )}
      </div>
      {show()}
    </div>
  );

  function show() {
    if (rows === undefined) {
      if (!list.error)
        return <RowSkeleton>{shown.current.length > 0 && showRows(shown.current)}</RowSkeleton>;
      return (
        <div className={styles.failed}>
          <Notice
            kind="danger"
            title="Your requests could not be read."
            actions={<Button onClick={() => void list.refetch()}>Try again</Button>}
          >
            {list.error instanceof CallError && <p>{list.error.message}</p>}
          </Notice>
        </div>
      );
    }
    if (rows.length === 0 && !list.hasNextPage) {
      // Without any request, the page shows how to make the first one.
      if (isCounting) return null;
      const [text, hint] = search.settled
        ? [
            `Nothing found for “${search.settled}”.`,
            'Questions, tags and codes such as HS‑7K3M9QXA are searched, in all lists. Answers are not: the relay cannot read them.',
          ]
        : emptyTexts[filter];
      return (
        <div className={styles.empty} role="status">
          <p>{text}</p>
          <p className={styles.hint}>{hint}</p>
        </div>
      );
    }
    return showRows(rows);
  }

  function showRows(rows: Rows) {
    return (
      <VirtualRows
        key={`${filter} ${search.settled}`}
        rows={rows}
        isGrouped={search.settled !== ''}
        selected={selected}
        hrefOf={(id) => hrefOf(routes.request(id))}
        hasNext={list.hasNextPage}
        hasFailed={list.isFetchNextPageError}
        isReadingNext={list.isFetchingNextPage}
        // A running refetch must not be cancelled.
        onReadNext={() => void list.fetchNextPage({ cancelRefetch: false })}
      />
    );
  }
}

function moveFocus(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-request]')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at < 0 ? 0 : at + step]?.focus();
}
