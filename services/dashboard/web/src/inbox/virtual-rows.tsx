import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import { useAppContext } from '../session/app-context.tsx';
import { useListHref } from '../shell/list-address.ts';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { isSnoozed } from './arrange-rows.ts';
import { filterNames } from './filter-tabs.tsx';
import { useInbox } from './inbox-context.tsx';
import { RequestRow } from './request-row.tsx';
import { RowSkeleton } from './row-skeleton.tsx';
import { filterOf, type Rows } from './rows.ts';
import { extendTo, toggleRow } from './selection.ts';
import styles from './virtual-rows.module.css';
import { isNew } from './visit.ts';

interface VirtualRowsProps {
  readonly rows: Rows;
  /** Whether each filter has a heading. */
  readonly isGrouped: boolean;
  /** Whether a search found them, perhaps by their codes. */
  readonly isFound: boolean;
  readonly currentId: string | undefined;
  readonly hrefOf: (requestId: string) => string;
  readonly hasNext: boolean;
  readonly hasFailed: boolean;
  readonly isReadingNext: boolean;
  readonly onReadNext: () => void;
}

/** The next page is read when fewer rows than this are left below. */
const rowsAhead = 60;

/** In pixels: the same as in the style sheet. */
const headingHeight = 32;
/** How many rows above and below the screen are rendered, too. It is more than the headings move rows down. */
const overscan = 6;

/** Renders only the rows on the screen and a few around them. */
export function VirtualRows({
  rows,
  isGrouped,
  isFound,
  currentId,
  hrefOf,
  hasNext,
  hasFailed,
  ...rest
}: VirtualRowsProps) {
  const { isReadingNext, onReadNext } = rest;
  const { visit, selection } = useInbox();
  const selectedIds = useStore(selection)?.ids;
  const unsent = useStore(useAppContext().unsent.all);
  const [, navigate] = useLocation();
  const listHref = useListHref();
  const now = useNow();
  const seen = useStore(visit.seen);
  const scroller = useRef<HTMLDivElement>(null);
  const [rowHeight] = useState(
    () => 4 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  );
  const indexOf = (id: string | undefined) =>
    id === undefined ? -1 : rows.findIndex(({ requestId }) => requestId === id);
  const currentAt = indexOf(currentId);
  /** The row that had the focus last. */
  const [visited, setVisited] = useState<string>();
  const visitedAt = indexOf(visited);
  const tabStopAt = Math.max(0, visitedAt < 0 ? currentAt : visitedAt);
  /** The name of the group that begins with this row. */
  const headingAt = (index: number): string | undefined => {
    const [row, before] = [rows[index], rows[index - 1]];
    if (!isGrouped || !row || (before && filterOf(before) === filterOf(row))) return undefined;
    return filterNames[filterOf(row)];
  };
  const headings = isGrouped ? rows.flatMap((_, index) => (headingAt(index) ? index : [])) : [];
  const startOf = (index: number) =>
    index * rowHeight + headings.filter((heading) => heading < index).length * headingHeight;
  const range = useRange(scroller, rowHeight);
  const end = Math.min(range.end, rows.length);
  const shown = Array.from({ length: Math.max(0, end - range.from) }, (_, at) => range.from + at);
  // The row that has the focus, or gets it by the Tab key, stays rendered.
  if (tabStopAt < range.from && tabStopAt < rows.length) shown.unshift(tabStopAt);
  else if (tabStopAt >= end && tabStopAt < rows.length) shown.push(tabStopAt);

  function scrollTo(index: number): void {
    const view = scroller.current;
    if (!view) return;
    const lowest = startOf(index + 1) - view.clientHeight;
    view.scrollTop = Math.min(startOf(index), Math.max(lowest, view.scrollTop));
  }

  const noteAnchor = useAnchor(scroller, { rows, rowHeight, startOf });
  const isNearEnd = hasNext && !isReadingNext && !hasFailed && end >= rows.length - rowsAhead;
  useEffect(() => {
    if (isNearEnd) onReadNext();
  });

  const previousId = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another request moves the list.
  useEffect(() => {
    const left = previousId.current;
    previousId.current = currentId;
    if (currentId !== undefined) {
      if (currentId !== left) setVisited(currentId);
      if (currentId !== left && currentAt >= 0) scrollTo(currentAt);
    } else if (left !== undefined) {
      // When a conversation is closed, the focus returns to its row.
      const link = scroller.current?.querySelector<HTMLElement>(`[data-request="${left}"]`);
      link?.focus({ preventScroll: true });
    }
  }, [currentId, currentAt]);

  const currentRow = rows[currentAt];
  useEffect(() => {
    if (currentRow) visit.open(currentRow);
  }, [currentRow, visit]);

  function onKeyDown(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey } = event;
    const at = { ArrowDown: tabStopAt + 1, ArrowUp: tabStopAt - 1, Home: 0, End: rows.length - 1 }[key];
    const id = at === undefined ? undefined : rows[at]?.requestId;
    if (at === undefined || id === undefined || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    // The row is rendered before it gets the focus.
    flushSync(() => setVisited(id));
    scrollTo(at);
    scroller.current?.querySelector<HTMLElement>(`[data-request="${id}"]`)?.focus({ preventScroll: true });
    if (event.shiftKey) extend(id);
  }

  function extend(id: string): void {
    const order = rows.map(({ requestId }) => requestId);
    selection.set(extendTo(selection.get(), order, id, order[tabStopAt]));
  }

  function check(id: string, isExtended: boolean): void {
    if (isExtended) extend(id);
    else selection.set(toggleRow(selection.get(), id));
  }

  /**
   * The agent and the tags in a row are filters for the mouse. They are no links, since the row is one; the header of the conversation
   * has the links. With Shift, a click selects, where a browser would open another window.
   */
  function onClick(event: MouseEvent): void {
    const row = (event.target as Element).closest<HTMLElement>('[data-request]');
    if (event.shiftKey && row?.dataset.request) {
      event.preventDefault();
      extend(row.dataset.request);
      row.focus({ preventScroll: true });
      return;
    }
    const filter = (event.target as Element).closest<HTMLElement>('[data-key-id], [data-tag]')?.dataset;
    if (!filter || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const { keyId, tag } = filter;
    navigate(listHref({ ...(keyId && { keyId }), ...(tag && { tag }) }));
  }

  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement && target.dataset.request) setVisited(target.dataset.request);
  };

  return (
    <div ref={scroller} className={styles.scroller} onScroll={noteAnchor}>
      <ul
        className={styles.rows}
        style={{ height: startOf(rows.length) }}
        onKeyDown={onKeyDown}
        // Before the row itself.
        onClickCapture={onClick}
        onFocus={onFocus}
        // Else Shift selects text.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        data-selecting={selectedIds !== undefined || undefined}
      >
        {shown.map((index) => {
          const row = rows[index];
          return (
            row && (
              <li
                key={row.requestId}
                className={styles.item}
                style={{ transform: `translateY(${startOf(index)}px)` }}
                aria-posinset={index + 1}
                aria-setsize={hasNext ? -1 : rows.length}
              >
                {headingAt(index) && <h2 className={styles.group}>{headingAt(index)}</h2>}
                <RequestRow
                  row={row}
                  href={hrefOf(row.requestId)}
                  isCurrent={index === currentAt}
                  isTabStop={index === tabStopAt}
                  unsent={unsent[row.requestId]}
                  isFound={isFound}
                  isSnoozed={filterOf(row) === 'waiting' && isSnoozed(row, now)}
                  isNew={seen !== undefined && isNew(row, seen)}
                />
                <label className={styles.check}>
                  <input
                    type="checkbox"
                    aria-label={`Select ${row.refCode}`}
                    checked={selectedIds?.has(row.requestId) ?? false}
                    tabIndex={index === tabStopAt ? 0 : -1}
                    onChange={({ nativeEvent }) =>
                      check(row.requestId, (nativeEvent as unknown as MouseEvent).shiftKey)
                    }
                  />
                </label>
              </li>
            )
          );
        })}
      </ul>
      {hasFailed ? (
        <p className={styles.failed}>
          Older requests could not be read. <Button onClick={onReadNext}>Try again</Button>
        </p>
      ) : (
        isReadingNext && <RowSkeleton rows={2} />
      )}
    </div>
  );
}

/** The first row on the screen stays where it is when rows arrive above it. Returns what notes that row after a scroll. */
function useAnchor(
  scroller: RefObject<HTMLElement | null>,
  { rows, rowHeight, startOf }: { rows: Rows; rowHeight: number; startOf: (index: number) => number },
): () => void {
  const anchor = useRef<{ readonly id: string; readonly start: number }>(undefined);
  function note(): void {
    const top = scroller.current?.scrollTop ?? 0;
    let index = Math.max(0, Math.floor(top / rowHeight) - 1);
    while (index < rows.length - 1 && startOf(index + 1) <= top) index += 1;
    const id = rows[index]?.requestId;
    anchor.current = top > 0 && id !== undefined ? { id, start: startOf(index) } : undefined;
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other rows move it.
  useLayoutEffect(() => {
    const index = rows.findIndex(({ requestId }) => requestId === anchor.current?.id);
    if (anchor.current && index >= 0 && scroller.current)
      scroller.current.scrollTop += startOf(index) - anchor.current.start;
    note();
  }, [rows]);
  return note;
}

/** Which rows are on the screen or near it: from the first one to the one before `end`. All have one height. */
function useRange(scroller: RefObject<HTMLElement | null>, rowHeight: number) {
  const [range, setRange] = useState({ from: 0, end: 2 * overscan });
  useLayoutEffect(() => {
    const view = scroller.current;
    if (!view) return;
    const measure = () => {
      const { scrollTop, clientHeight } = view;
      const from = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
      const end = Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan;
      setRange((before) => (before.from === from && before.end === end ? before : { from, end }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(view);
    view.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      view.removeEventListener('scroll', measure);
    };
  }, [scroller, rowHeight]);
  return range;
}
