import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { useInbox } from './inbox-context.tsx';
import { RequestRow } from './request-row.tsx';
import { RowSkeleton } from './row-skeleton.tsx';
import type { Rows } from './rows.ts';
import styles from './virtual-rows.module.css';
import { isNew } from './visit.ts';

interface VirtualRowsProps {
  readonly rows: Rows;
  readonly selected: string | undefined;
  readonly hrefOf: (requestId: string) => string;
  readonly hasNext: boolean;
  readonly hasFailed: boolean;
  readonly isReadingNext: boolean;
  readonly onReadNext: () => void;
}

/** The next page is read when fewer rows than this are left below. */
const rowsAhead = 60;

/** Renders only the rows on the screen and a few around them. */
export function VirtualRows({ rows, selected, hrefOf, hasNext, hasFailed, ...rest }: VirtualRowsProps) {
  const { isReadingNext, onReadNext } = rest;
  const { visit } = useInbox();
  const seen = useStore(visit.seen);
  const scroller = useRef<HTMLDivElement>(null);
  const [rowHeight] = useState(
    () => 7 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.requestId ?? index,
    overscan: 6,
    // The focused row stays rendered. Without it the focus would return to the top of the page.
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      const focused = (document.activeElement as HTMLElement | null)?.dataset.request;
      const at = focused ? rows.findIndex(({ requestId }) => requestId === focused) : -1;
      return at < 0 || indexes.includes(at) ? indexes : [...indexes, at].sort((one, other) => one - other);
    },
  });
  const items = virtualizer.getVirtualItems();

  const lastShown = items.at(-1)?.index ?? 0;
  const isNearEnd = hasNext && !isReadingNext && !hasFailed && lastShown >= rows.length - rowsAhead;
  useEffect(() => {
    if (isNearEnd) onReadNext();
  });

  const selectedAt = selected === undefined ? -1 : rows.findIndex(({ requestId }) => requestId === selected);
  const before = useRef<string>(undefined);
  useEffect(() => {
    const left = before.current;
    before.current = selected;
    if (selected !== undefined) {
      if (selected !== left && selectedAt >= 0) virtualizer.scrollToIndex(selectedAt, { align: 'auto' });
    } else if (left !== undefined) {
      // When a conversation is closed, the focus returns to its row.
      const link = scroller.current?.querySelector<HTMLElement>(`[data-request="${left}"]`);
      link?.focus({ preventScroll: true });
    }
  }, [selected, selectedAt, virtualizer]);

  const selectedRow = rows[selectedAt];
  useEffect(() => {
    if (selectedRow?.agent) visit.open(selectedRow);
  }, [selectedRow, visit]);

  return (
    <div ref={scroller} className={styles.scroller}>
      <ul className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const row = rows[index];
          return (
            row && (
              <li
                key={key}
                className={styles.item}
                style={{ transform: `translateY(${start}px)` }}
                aria-posinset={index + 1}
                aria-setsize={hasNext ? -1 : rows.length}
              >
                <RequestRow
                  row={row}
                  href={hrefOf(row.requestId)}
                  isSelected={index === selectedAt}
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
