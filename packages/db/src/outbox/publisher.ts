import { subjectsFor } from '@expert-relay/contracts';
import type { Log } from '@expert-relay/kit/log';
import type { NatsConnection } from 'nats';
import type pg from 'pg';
import type { LowWatermark } from './low-watermark.ts';
import type { OutboxMetrics } from './metrics.ts';
import { type BatchResult, publishBatch } from './publish-batch.ts';
import { deletePublished, requeueLost } from './published-rows.ts';
import { createStreamReader, type StreamPosition, type StreamSettings } from './stream.ts';
import { markFailed, markPublished, selectWaiting } from './waiting-rows.ts';

const streamCheckIntervalMs = 1_000;
const deletePauseAfterTimeoutMs = 60_000;

/** The result of one batch: more rows may wait, or none; or NATS accepted nothing. */
export type PublishResult = 'more' | 'idle' | 'blocked';

export interface Publisher {
  /** Publishes the next batch. Throws when Postgres fails, since nothing can be led without it, and never when NATS does. */
  publishNext(): Promise<PublishResult>;
  /** The known state of the stream may be wrong: it is read again before the next batch. */
  recheckStream(): void;
}

/** Reads the stream's state, publishes waiting rows, and marks those that were acknowledged. */
export function createPublisher(options: {
  client: pg.ClientBase;
  connection: NatsConnection;
  settings: StreamSettings;
  /** How long published rows are kept. */
  retentionMs: number;
  log: Log;
  metrics: OutboxMetrics;
  watermark: LowWatermark;
  /** Aborted when this process no longer leads. */
  lost: AbortSignal;
}): Publisher {
  const { client, connection, settings, retentionMs, log, metrics, watermark, lost } = options;
  const subjects = subjectsFor(settings.prefix);
  const jetstream = connection.jetstream();
  const readStream = createStreamReader(connection, settings, log);
  /** Only the next batch waits for it: its statement is sent behind this one. */
  let marking: Promise<void> = Promise.resolve();
  let stream: StreamPosition | undefined;
  let checkStreamAt = 0;
  let deleteAt = 0;
  let lastWarning = '';

  async function publishNext(): Promise<PublishResult> {
    if (performance.now() >= checkStreamAt && !(await checkStream())) return 'blocked';
    if (!stream) return 'blocked';
    const [{ rows, hasMore }] = await Promise.all([selectWaiting(client, watermark.position), marking]);
    if (rows.length === 0) {
      watermark.raise();
      return 'idle';
    }
    const result = await publishBatch(jetstream, subjects, rows, stream);
    await record(result, stream);
    if (result.unconfirmed > 0) recheckStream();
    else watermark.raise(hasMore ? rows.at(-1)?.position : undefined);
    if (result.stored.length + result.unpublishable.length === 0) return blocked(result.reason ?? '');
    return hasMore || result.unconfirmed > 0 ? 'more' : 'idle';
  }

  async function checkStream(): Promise<boolean> {
    let current: StreamPosition;
    try {
      current = await readStream();
    } catch (error) {
      blocked((error as Error).message);
      return false;
    }
    if (!stream || current.epoch !== stream.epoch || current.lastSeq < stream.lastSeq) {
      const events = await requeueLost(client, current, lost);
      if (lost.aborted) return false;
      if (events > 0) {
        watermark.reset();
        log.warn({ events }, 'the stream does not hold what it acknowledged: publishing it again');
      }
    }
    stream = current;
    await watermark.update();
    checkStreamAt = performance.now() + streamCheckIntervalMs;
    if (performance.now() >= deleteAt) await deleteOld(current);
    return true;
  }

  async function deleteOld(current: StreamPosition): Promise<void> {
    const result = await deletePublished(client, current, retentionMs);
    if (result === 'more') checkStreamAt = performance.now() + streamCheckIntervalMs / 10;
    if (result !== 'timeout') return;
    deleteAt = performance.now() + deletePauseAfterTimeoutMs;
    log.warn('removing published events took more than a second: is a transaction open for long?');
  }

  async function record(result: BatchResult, { epoch, lastSeq }: StreamPosition): Promise<void> {
    const { stored, unpublishable, unconfirmed } = result;
    if (stored.length > 0) {
      marking = markPublished(client, stored, epoch);
      // The next batch gets its failure.
      marking.catch(() => {});
      stream = { epoch, lastSeq: Math.max(lastSeq, ...stored.map(({ streamSeq }) => streamSeq)) };
      metrics.published.inc(stored.length);
      lastWarning = '';
    }
    if (unpublishable.length > 0)
      await markFailed(
        client,
        unpublishable.map(({ id }) => id),
      );
    for (const { id, reason } of unpublishable)
      log.error({ event: id, reason }, 'an event can never be published');
    metrics.retries.inc(unconfirmed);
  }

  function blocked(reason: string): PublishResult {
    if (reason !== lastWarning) log.warn({ reason }, 'NATS takes no events: they wait in the outbox');
    lastWarning = reason;
    return 'blocked';
  }

  function recheckStream(): void {
    checkStreamAt = 0;
  }

  return { publishNext, recheckStream };
}
