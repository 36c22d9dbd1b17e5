import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { CallError } from '../relay/call.ts';
import { PageHeading } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { preferences } from '../storage/preferences.ts';
import { Button } from '../ui/button.tsx';
import { isNarrow } from '../ui/is-narrow.ts';
import { lazyPage } from '../ui/lazy-page.tsx';
import { locale } from '../ui/locale.ts';
import { Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { arrangeRows } from './arrange-rows.ts';
import { FilterTabs } from './filter-tabs.tsx';
import { useInbox } from './inbox-context.tsx';
import { ListTools } from './list-tools.tsx';
import styles from './request-list.module.css';
import { RowSkeleton } from './row-skeleton.tsx';
import { type Filter, foundRows, groupByFilter, type Rows, rowsOf } from './rows.ts';
import { SearchField, useSearchText } from './search-field.tsx';
import { keepRows, nothingSelected, toggleRow } from './selection.ts';
import { useFacetNames, useListing } from './use-listing.ts';
import { VirtualRows } from './virtual-rows.tsx';

const FacetBar = lazyPage(async () => (await import('./facet-bar.tsx')).FacetBar);

/** Shorter lists need no tools, unless they were longer before: nothing jumps while requests are answered. */
const minForTools = 4;
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
  /** Of the request that is shown beside the list. */
  readonly currentId: string | undefined;
  /** Is called when a list was read, also an empty one. */
  readonly onListed: (isListed: true) => void;
}

/** What an empty list of one agent or tag says. */
const noneOfFacets = ['No such request here.', 'Look in another list, or remove a filter above.'] as const;

/** The search field, the filters and the requests, newest activity first. */
export function RequestList({ currentId, onListed }: RequestListProps) {
  const { inbox, selection } = useInbox();
  const { listing: byAddress, facets, hasFacets, hrefOf } = useListing();
  const facetNames = useFacetNames();
  const search = useSearchText();
  const searchField = useRef<HTMLInputElement>(null);
  const [, navigate] = useLocation();
  const listing = useMemo(
    // A search covers all lists.
    () => (search.settled ? { q: search.settled, ...facets } : byAddress),
    [byAddress, facets, search.settled],
  );
  const list = useInfiniteQuery(inbox.listQuery(listing));
  const isCounting = useQuery(inbox.countsQuery()).isPending;
  const known = useStore(inbox.rows);
  const pages = list.data?.pages;
  const isRead = pages !== undefined;
  useEffect(() => {
    if (isRead) onListed(true);
  }, [isRead, onListed]);
  const { order } = useStore(preferences);
  const now = useNow();
  const listed = useMemo(() => {
    if (!pages) return undefined;
    const ids = pages.flatMap((page) => page.ids);
    if (listing.q) return foundRows(known, ids);
    const isWhole = pages.at(-1)?.next === undefined;
    const end = isWhole ? undefined : pages.findLast(({ last }) => last)?.last;
    return rowsOf(known, listing, end);
  }, [known, listing, pages]);
  const isWaiting = listing.filter === 'waiting';
  const isGrouped = listing.filter === undefined;
  const rows = useMemo(() => {
    const arranged = listed && arrangeRows(listed, { order: isWaiting ? order : 'newest', now });
    return arranged && isGrouped ? groupByFilter(arranged) : arranged;
  }, [listed, isWaiting, isGrouped, order, now]);
  const isSorted = isWaiting && order === 'time-left' && (listed?.length ?? 0) < maxSorted;
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list;
  useEffect(() => {
    // The request with the least time left may be on the last page.
    if (isSorted && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isSorted, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const wasLong = useRef(false);
  wasLong.current ||= (listed?.length ?? 0) >= minForTools;
  const isLong = wasLong.current && (listed?.length ?? 0) > 0;
  const shown = useRef<Rows>([]);
  const wasShown = useRef(false);
  useEffect(() => {
    if (rows) shown.current = rows;
    wasShown.current = true;
  }, [rows]);

  useEffect(() => {
    const before = selection.get();
    const listed = new Set(rows?.map(({ requestId }) => requestId));
    if (rows && before) selection.set(keepRows(before, (id) => listed.has(id)));
  }, [rows, selection]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins without a selection.
  useEffect(() => () => selection.set(undefined), [listing, selection]);

  const isSelecting = useStore(selection) !== undefined;
  const currentAt = rows?.findIndex(({ requestId }) => requestId === currentId) ?? -1;
  /** Where the current request was before it left this list, such as after an answer. */
  const lastAt = useRef(0);
  useEffect(() => {
    if (currentAt >= 0) lastAt.current = currentAt;
  }, [currentAt]);

  const open = (step: 1 | -1) => {
    const hasLeft = currentId !== undefined && currentAt < 0;
    const at = hasLeft ? lastAt.current + Math.min(step, 0) : currentAt < 0 ? 0 : currentAt + step;
    const next = rows?.[Math.min(at, currentAt < 0 ? rows.length - 1 : at)];
    // After j and k the focus stays where it is.
    if (next) navigate(hrefOf(routes.request(next.requestId)), { state: { keepsFocus: true } });
  };
  useShortcuts({
    j: () => (isNarrow() ? moveFocus(1) : open(1)),
    k: () => (isNarrow() ? moveFocus(-1) : open(-1)),
    '/': () => searchField.current?.focus(),
    x() {
      const id = focusedRow()?.dataset.request ?? currentId;
      if (!rows?.some(({ requestId }) => requestId === id) || id === undefined) return;
      selection.set(toggleRow(selection.get(), id));
    },
    Escape: () => selection.set(undefined),
  });

  return (
    <div className={styles.list}>
      <div className={styles.head}>
        <PageHeading
          key={JSON.stringify(facets)}
          className="visually-hidden"
          // With other facets, it is another list.
          takesFocus={currentId === undefined || wasShown.current}
        >
          {Object.values(facetNames).join(', ') || 'Inbox'}
        </PageHeading>
        <SearchField ref={searchField} text={search.text} onChange={search.change} />
        <Suspense>{hasFacets && <FacetBar names={facetNames} />}</Suspense>
        <FilterTabs isSearching={search.settled !== ''} onChoose={() => search.change('')} />
        {isLong && (
          <ListTools
            hasOrder={isWaiting}
            isSelecting={isSelecting}
            onSelect={(isBegun) => selection.set(isBegun ? nothingSelected : undefined)}
          />
        )}
        {isWaiting && order === 'time-left' && !isSorted && hasNextPage && (
          <p className={styles.note}>Only the newest {maxSorted.toLocaleString(locale)} are sorted.</p>
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
        : hasFacets
          ? noneOfFacets
          : emptyTexts[listing.filter ?? 'waiting'];
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
        key={JSON.stringify(listing)}
        rows={rows}
        isGrouped={isGrouped}
        isFound={listing.q !== undefined}
        currentId={currentId}
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

const focusedRow = () => document.querySelector<HTMLElement>('[data-request]:focus');

function moveFocus(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-request]')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at < 0 ? 0 : at + step]?.focus();
}
