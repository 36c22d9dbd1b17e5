import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useAppContext } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { filterNames } from './filter-tabs.tsx';
import { useInbox } from './inbox-context.tsx';
import { RequestRow } from './request-row.tsx';
import { RowSkeleton } from './row-skeleton.tsx';
import { filterOf, type Rows } from './rows.ts';
import { isSnoozed } from './snoozes.ts';
import styles from './virtual-rows.module.css';
import { isNew } from './visit.ts';

interface VirtualRowsProps {
  readonly rows: Rows;
  /** Whether each filter has a heading. */
  readonly isGrouped: boolean;
  readonly selected: string | undefined;
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
  selected,
  hrefOf,
  hasNext,
  hasFailed,
  ...rest
}: VirtualRowsProps) {
  const { isReadingNext, onReadNext } = rest;
  const { visit, snoozes } = useInbox();
  const allSnoozes = useStore(snoozes.all);
  const unsent = useStore(useAppContext().unsent.all);
  const now = useNow();
  const seen = useStore(visit.seen);
  const scroller = useRef<HTMLDivElement>(null);
  const [rowHeight] = useState(
    () => 7 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  );
  const indexOf = (id: string | undefined) =>
    id === undefined ? -1 : rows.findIndex(({ requestId }) => requestId === id);
  const selectedAt = indexOf(selected);
  /** The row that had the focus last. */
  const [visited, setVisited] = useState<string>();
  const visitedAt = indexOf(visited);
  const tabStopAt = Math.max(0, visitedAt < 0 ? selectedAt : visitedAt);
  /** The name of the group that begins with this row. */
  const headingAt = (index: number): string | undefined => {
    const [row, before] = [rows[index], rows[index - 1]];
    if (!isGrouped || !row || (before && filterOf(before) === filterOf(row))) return undefined;
    return filterNames[filterOf(row)];
  };
  const headings = rows.flatMap((_, index) => (headingAt(index) ? index : []));
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

  const selectedBefore = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another request moves the list.
  useEffect(() => {
    const left = selectedBefore.current;
    selectedBefore.current = selected;
    if (selected !== undefined) {
      if (selected !== left) setVisited(selected);
      if (selected !== left && selectedAt >= 0) scrollTo(selectedAt);
    } else if (left !== undefined) {
      // When a conversation is closed, the focus returns to its row.
      const link = scroller.current?.querySelector<HTMLElement>(`[data-request="${left}"]`);
      link?.focus({ preventScroll: true });
    }
  }, [selected, selectedAt]);

  const selectedRow = rows[selectedAt];
  useEffect(() => {
    if (selectedRow) visit.open(selectedRow);
  }, [selectedRow, visit]);

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
        onFocus={onFocus}
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
                  isSelected={index === selectedAt}
                  isTabStop={index === tabStopAt}
                  unsent={unsent[row.requestId]}
                  isSnoozed={filterOf(row) === 'waiting' && isSnoozed(row, allSnoozes, now)}
                  isNew={seen !== undefined && isNew(row, seen)}
                />
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
