import type pg from 'pg';

/** A bound below which no row waits. */
export interface LowWatermark {
  /** No row waits at this position or below. */
  readonly position: number;
  /** Whether a first bound is known: the transactions that were open at the first `update` have ended. */
  readonly isKnown: boolean;
  /** Call it about once a second. From time to time it searches for rows below `position` that wait again. */
  update(): Promise<void>;
  /** All waiting rows up to `last` were published, or all that were found. */
  raise(last?: number): void;
  /** Published rows wait again: the next `update` searches for the first of them. */
  reset(): void;
}

/** Positions that one statement searches in a second at most. */
const defaultSlice = 1_000_000;

/**
 * Saves the leader a scan of the index entries of rows that were published since the last vacuum, which precede
 * those that wait: at 500 events a second that took a quarter of a core. While a transaction is open for hours, such
 * as a backup's, there are millions of them.
 *
 * Rows are committed out of the order of their positions, so a committed row says nothing about lower positions.
 * A position is settled, with all below it, once every transaction has ended that was open when it was drawn. (Each
 * transaction changes a row before it draws a position, so Postgres lists it as open.)
 */
export function createLowWatermark(client: pg.ClientBase, slice = defaultSlice): LowWatermark {
  let position = 0;
  /** All rows up to this position are committed or rolled back. */
  let settled: number | undefined;
  /** Becomes `settled` when all transactions before `next` have ended. */
  let drawn: { position: number; next: bigint } | undefined;
  let searchAt = 0;

  async function settle(): Promise<void> {
    // In this order: a transaction that drew a position before the first statement is known to the second.
    const [{ rows: sequence }, { rows: snapshot }] = await Promise.all([
      // Of a sequence that was never drawn from, `last_value` is the first one still to come.
      client.query<{ last: string }>(
        'SELECT last_value - (NOT is_called)::int AS last FROM outbox_events_position_seq',
      ),
      client.query<{ oldest: string; next: string }>(`
        SELECT pg_snapshot_xmin(now)::text AS oldest, pg_snapshot_xmax(now)::text AS next
        FROM pg_current_snapshot() AS now`),
    ]);
    const [{ last } = { last: 0 }] = sequence;
    const [{ oldest, next } = { oldest: 0, next: 0 }] = snapshot;
    if (drawn && BigInt(oldest) >= drawn.next) {
      settled = drawn.position;
      drawn = undefined;
    }
    drawn ??= { position: Number(last), next: BigInt(next) };
  }

  return {
    get position() {
      return position;
    },
    get isKnown() {
      return settled !== undefined;
    },
    async update() {
      await settle();
      if (settled === undefined || performance.now() < searchAt) return;
      const start = performance.now();
      position = await lastWithoutWaiting(client, settled, slice);
      // At most a tenth of the leader's time is spent on searches.
      searchAt = performance.now() + 10 * (performance.now() - start);
    },
    raise(last = settled ?? 0) {
      position = Math.min(last, settled ?? 0);
    },
    reset() {
      position = 0;
      searchAt = 0;
    },
  };
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
      WHERE published_at IS NULL AND failed_at IS NULL
        AND position > reached AND position <= least(reached + $3::bigint, $2::bigint)
      ORDER BY position LIMIT 1)
    FROM slices
    WHERE first IS NULL AND reached < $2::bigint
      AND clock_timestamp() < statement_timestamp() + interval '1 second'
  )
  SELECT max(reached)::float8 AS reached, max(first)::float8 AS first FROM slices`;
