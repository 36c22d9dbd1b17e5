import { setTimeout as pause } from 'node:timers/promises';
import { failures, type Postgres, type Sql, sql } from '@expert-relay/db';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { NotifierMetrics } from '../notifier-metrics.ts';
import { takeFacts } from './take-facts.ts';

/** How often facts are looked for while an endpoint is enabled, and while none is. */
const pollMs = 250;
const idlePollMs = 2_000;
const batchSize = 200;

interface FactReaderOptions {
  readonly database: Pick<Postgres, 'query' | 'transact'>;
  readonly metrics: NotifierMetrics;
  readonly log: Log;
  /** Called when deliveries were inserted. */
  readonly onInserted: () => void;
  /** A fact that has failed alone is tried again after this time. */
  readonly retryAfterMs?: number;
}

/**
 * Takes the facts that writers have recorded, oldest first, and inserts their deliveries. Every process of the installation runs
 * it, and one at a time takes a batch.
 */
export class FactReader implements Part {
  readonly name = 'fact reader';
  readonly #options: FactReaderOptions;
  readonly #stopping = new AbortController();
  /** When facts that failed alone are tried again, by position. */
  readonly #failed = new Map<string, number>();
  #loop: Promise<void> | undefined;

  constructor(options: FactReaderOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { database, log } = this.#options;
    const { signal } = this.#stopping;
    let waitMs = idlePollMs;
    let hasFailed = false;
    while (!signal.aborted) {
      try {
        const [found] = await database.query<{ hasFacts: boolean; isEnabled: boolean }>`
          SELECT EXISTS (SELECT FROM notification_facts) AS "hasFacts",
            EXISTS (SELECT FROM notification_endpoints WHERE enabled_at IS NOT NULL) AS "isEnabled"`;
        waitMs = found?.isEnabled ? pollMs : idlePollMs;
        const isMore = found?.hasFacts && (await this.#takeBatch());
        hasFailed = false;
        if (isMore) continue;
      } catch (error) {
        if (!hasFailed)
          log.warn({ reason: (error as Error).message }, 'the facts cannot be taken: trying again');
        hasFailed = true;
      }
      await pause(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Whether there may be more to take at once. */
  async #takeBatch(): Promise<boolean> {
    const now = performance.now();
    const due = [...this.#failed].filter(([, retryAt]) => retryAt <= now).map(([position]) => position);
    const waiting = [...this.#failed.keys()].filter((position) => !due.includes(position));
    const which = sql`position <> ALL(${waiting}::bigint[])`;
    try {
      const isMore = await this.#take(which, batchSize);
      for (const position of due) this.#failed.delete(position);
      return isMore;
    } catch (error) {
      if (isAway(error)) throw error;
      return await this.#takeEach(which);
    }
  }

  /** One of a batch has failed, and must not stop the others: each is taken alone. */
  async #takeEach(which: Sql): Promise<boolean> {
    const { database, log, retryAfterMs = 10_000 } = this.#options;
    const facts = await database.query<{ position: string; type: string; requestId: string }>`
      SELECT position::text AS position, type, request_id AS "requestId" FROM notification_facts
      WHERE ${which} ORDER BY position LIMIT ${batchSize}::int`;
    for (const { position, type, requestId } of facts) {
      if (this.#stopping.signal.aborted) return false;
      try {
        await this.#take(sql`position = ${position}::bigint`, 1);
      } catch (error) {
        if (isAway(error)) throw error;
        const reason = (error as Error).message;
        if (!this.#failed.has(position))
          log.error({ position, type, requestId, reason }, 'a fact cannot be taken: trying again later');
        this.#failed.set(position, performance.now() + retryAfterMs);
      }
    }
    return facts.length === batchSize;
  }

  async #take(which: Sql, limit: number): Promise<boolean> {
    const { database, metrics, onInserted } = this.#options;
    const taken = await takeFacts(database, { which, limit });
    if (!taken) return false;
    metrics.taken(taken);
    if (taken.deliveries > 0) onInserted();
    return taken.isMore;
  }
}

/** The SQLSTATE of a lock that was waited for too long: it says nothing about other facts. */
const lockNotAvailable = '55P03';

/** Whether no fact can be taken at the moment. */
const isAway = (error: unknown): boolean =>
  failures.isOutage(error) && (error as { code?: string }).code !== lockNotAvailable;
