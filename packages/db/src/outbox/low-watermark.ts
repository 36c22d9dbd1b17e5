import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isWaiting } from './waiting-rows.ts';

/** A position at or below which no row waits. The leader reads only rows above it. */
export interface LowWatermark {
  readonly position: number;
  /** Call it about once a second. It settles positions, and searches for waiting rows at or below `position`. */
  update(): Promise<void>;
  /** Call it when no row up to `last` waits any more; without `last`, when none waits up to the last settled position. */
  advance(last?: number): void;
  /** Published rows wait again: the next `update` searches for the first of them. */
  reset(): void;
  /** Updates until a first position is settled, which is when all transactions that are open now have ended. */
  untilSettled(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** The number of positions that a search reads in one step. Postgres needs a second at most for them. */
const defaultSlice = 1_000_000;

/**
 * Without the watermark, each select would read the index entries of all rows that were published since the last vacuum,
 * because they precede the waiting rows: at 500 events a second that took a quarter of a core. While a transaction is open
 * for hours, such as a backup's, there are millions of them.
 *
 * Rows are not committed in the order of their positions. So a position, with all below it, is settled only when every
 * transaction that may have got one of them has ended:
 * 1. The last assigned position is 41. Open transactions may have got positions up to 41.
 * 2. A new transaction id is taken, 900. These transactions have lower ids.
 * 3. All transactions with an id below 900 have ended. No row up to 41 can appear any more: 41 is settled.
 *
 * The search finds the rows that this rule misses: those that an operator sets back to waiting, and those of a
 * transaction that gets its id only after its position.
 */
export function createLowWatermark(client: pg.ClientBase, slice = defaultSlice): LowWatermark {
  let position = 0;
  /** All rows up to this position are committed or rolled back. */
  let settled: number | undefined;
  /** The next one to settle: all transactions that got a position up to this one have an id below `endId`. */
  let candidate: { position: number; endId: string } | undefined;
  let searchAt = 0;

  async function settle(): Promise<void> {
    if (candidate) {
      if (!(await haveEnded(client, candidate.endId))) return;
      settled = candidate.position;
      candidate = undefined;
    }
    const assigned = await lastAssigned(client);
    // In this order, so that a transaction that got one of these positions has a lower id than `endId`.
    if (assigned !== settled) candidate = { position: assigned, endId: await newTransactionId(client) };
  }

  async function update(): Promise<void> {
    await settle();
    if (settled === undefined || performance.now() < searchAt) return;
    const start = performance.now();
    position = await lastWithoutWaiting(client, settled, slice);
    // At most a tenth of the leader's time is spent on searches.
    searchAt = performance.now() + 10 * (performance.now() - start);
  }

  return {
    get position() {
      return position;
    },
    update,
    advance(last = settled ?? 0) {
      position = Math.min(last, settled ?? 0);
    },
    reset() {
      position = 0;
      searchAt = 0;
    },
    async untilSettled(timeoutMs, signal) {
      const until = performance.now() + timeoutMs;
      while (!signal.aborted && performance.now() < until) {
        await update();
        if (settled !== undefined) return;
        await pause(10);
      }
    },
  };
}

/** The last position that was assigned to a row; 0 while there is none. */
async function lastAssigned(client: pg.ClientBase): Promise<number> {
  // Before a sequence is used, its `last_value` is the first number that it will assign.
  const { rows } = await client.query<{ last: number }>(
    'SELECT (last_value - (NOT is_called)::int)::float8 AS last FROM outbox_events_position_seq',
  );
  return rows[0]?.last ?? 0;
}

/**
 * A new id, which is higher than that of every transaction that has one now. `pg_snapshot_xmax` is not enough: an open
 * transaction may have the same id or a higher one.
 */
async function newTransactionId(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return rows[0]?.id ?? '';
}

/** Whether all transactions with a lower id have ended. */
async function haveEnded(client: pg.ClientBase, id: string): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS ended',
    [id],
  );
  return rows[0]?.ended ?? false;
}

/**
 * The highest position up to `until` at or below which no row waits. It searches in slices, each statement a
 * second at most: a scan of millions of entries in one statement would reach the statement timeout.
 */
async function lastWithoutWaiting(client: pg.ClientBase, until: number, slice: number): Promise<number> {
  for (let from = 0; from < until; ) {
    const { rows } = await client.query<{ reached: number; first: number | null }>({
      name: 'search-waiting',
      text: searchText,
      values: [from, until, slice],
    });
    const [{ reached, first } = { reached: until, first: null }] = rows;
    if (first !== null) return first - 1;
    from = reached;
  }
  return until;
}

const searchText = `
  WITH RECURSIVE slices (reached, first) AS (
    SELECT $1::bigint, NULL::bigint
    UNION ALL
    SELECT least(reached + $3::bigint, $2::bigint), (
      SELECT position FROM outbox_events
      WHERE ${isWaiting} AND position > reached AND position <= least(reached + $3::bigint, $2::bigint)
      ORDER BY position LIMIT 1)
    FROM slices
    WHERE first IS NULL AND reached < $2::bigint
      AND clock_timestamp() < statement_timestamp() + interval '1 second'
  )
  SELECT max(reached)::float8 AS reached, max(first)::float8 AS first FROM slices`;
