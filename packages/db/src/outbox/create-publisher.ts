import { type StreamSettings, subjectsFor } from '@expert-relay/contracts';
import type { Log } from '@expert-relay/kit/log';
import type { NatsConnection } from 'nats';
import type pg from 'pg';
import { followStream } from './follow-stream.ts';
import { purgeKept, type StreamPosition, takeBackLost } from './kept-rows.ts';
import type { OutboxMetrics } from './outbox-metrics.ts';
import { type BatchOutcome, publishBatch } from './publish-batch.ts';
import { markPublished, selectWaiting, setAside } from './waiting-rows.ts';
import type { Watermark } from './watermark.ts';

const lookEveryMs = 1_000;
const purgeAfterTimeoutMs = 60_000;

export interface PublisherOptions {
  readonly client: pg.ClientBase;
  readonly connection: NatsConnection;
  readonly settings: StreamSettings;
  /** How long published rows are kept, in milliseconds. */
  readonly keepFor: number;
  readonly log: Log;
  readonly metrics: OutboxMetrics;
  readonly watermark: Watermark;
  /** Aborted when this process no longer leads. */
  readonly lost: AbortSignal;
}

/** What one round came to: rows may still wait, or none; or NATS took nothing. */
export type Round = 'more' | 'done' | 'stuck';

/**
 * One round after the other: look at the stream, publish what waits, mark what was acknowledged. Never
 * throws for NATS's sake, always for Postgres's: without it there is no leading.
 */
export function createPublisher(options: PublisherOptions): { round(): Promise<Round>; doubt(): void } {
  const { client, connection, settings, keepFor, log, metrics, watermark, lost } = options;
  const subjects = subjectsFor(settings.prefix);
  const jetstream = connection.jetstream();
  const look = followStream(connection, settings, log);
  /** Nobody waits for it but the next round, whose statement goes out behind it. */
  let marked: Promise<void> = Promise.resolve();
  let stream: StreamPosition | undefined;
  let lookAgainAt = 0;
  let purgeAgainAt = 0;
  let complaint = '';

  async function round(): Promise<Round> {
    if (performance.now() >= lookAgainAt && !(await lookAtStream())) return 'stuck';
    if (!stream) return 'stuck';
    const [{ rows, hasMore }] = await Promise.all([selectWaiting(client, watermark.position), marked]);
    if (rows.length === 0) {
      watermark.raise();
      return 'done';
    }
    const outcome = await publishBatch(jetstream, subjects, rows, stream);
    await record(outcome, stream);
    if (outcome.unsure > 0) doubt();
    else watermark.raise(hasMore ? rows.at(-1)?.position : undefined);
    if (outcome.placed.length + outcome.hopeless.length === 0) return stuck(outcome.reason ?? '');
    return hasMore || outcome.unsure > 0 ? 'more' : 'done';
  }

  async function lookAtStream(): Promise<boolean> {
    let seen: StreamPosition;
    try {
      seen = await look();
    } catch (error) {
      stuck((error as Error).message);
      return false;
    }
    if (!stream || seen.epoch !== stream.epoch || seen.lastSeq < stream.lastSeq) {
      const events = await takeBackLost(client, seen, lost);
      if (lost.aborted) return false;
      if (events > 0) {
        watermark.reset();
        log.warn({ events }, 'the stream does not hold what it acknowledged: publishing it again');
      }
    }
    stream = seen;
    await watermark.look();
    lookAgainAt = performance.now() + lookEveryMs;
    if (performance.now() >= purgeAgainAt) await purge(seen);
    return true;
  }

  async function purge(seen: StreamPosition): Promise<void> {
    const outcome = await purgeKept(client, seen, keepFor);
    if (outcome === 'more') lookAgainAt = performance.now() + lookEveryMs / 10;
    if (outcome !== 'timeout') return;
    purgeAgainAt = performance.now() + purgeAfterTimeoutMs;
    log.warn('removing published events took more than a second: is a transaction open for long?');
  }

  async function record(outcome: BatchOutcome, { epoch, lastSeq }: StreamPosition): Promise<void> {
    const { placed, hopeless, unsure } = outcome;
    if (placed.length > 0) {
      marked = markPublished(client, placed, epoch);
      // The next round hears of its failure.
      marked.catch(() => {});
      stream = { epoch, lastSeq: Math.max(lastSeq, ...placed.map(({ streamSeq }) => streamSeq)) };
      metrics.published.inc(placed.length);
      complaint = '';
    }
    if (hopeless.length > 0)
      await setAside(
        client,
        hopeless.map(({ id }) => id),
      );
    for (const { id, reason } of hopeless)
      log.error({ event: id, reason }, 'an event can never be published');
    metrics.retries.inc(unsure);
  }

  function stuck(reason: string): Round {
    if (reason !== complaint) log.warn({ reason }, 'NATS takes no events: they wait in the outbox');
    complaint = reason;
    return 'stuck';
  }

  /** What is known of the stream may be wrong: it is looked at before the next publish. */
  function doubt(): void {
    lookAgainAt = 0;
  }

  return { round, doubt };
}
