import { subjectsFor } from '@expert-relay/contracts';
import type { Log } from '@expert-relay/kit/log';
import type { Tracing } from '@expert-relay/kit/tracing';
import type { NatsConnection } from 'nats';
import type pg from 'pg';
import type { LowWatermark } from './low-watermark.ts';
import type { OutboxMetrics } from './metrics.ts';
import { type BatchResult, publishBatch } from './publish-batch.ts';
import { deletePublished, requeueLost } from './published-rows.ts';
import { createStreamReader, type StreamEnd, type StreamSettings } from './stream.ts';
import { markFailed, markPublished, selectWaiting } from './waiting-rows.ts';

const checkIntervalMs = 1_000;
/** The pause after a deletion, by its result. */
const deleteIntervalMs = { done: 1_000, more: 100, timeout: 60_000 };

/** The result of one batch: more rows may wait, or none; or NATS accepted nothing. */
export type PublishResult = 'more' | 'idle' | 'blocked';

export interface StreamPublisher {
  /** Publishes the next batch. It throws when Postgres fails, which ends the leadership, and never when NATS does. */
  publishNext(): Promise<PublishResult>;
  /** Call it when the known state of the stream may be wrong. It is read again before the next batch. */
  recheckStream(): void;
}

/** Publishes waiting rows, marks those that NATS acknowledged, and compares the marks with the state of the stream. */
export function createStreamPublisher(options: {
  /** A connection that pipelines statements. */
  client: pg.ClientBase;
  connection: NatsConnection;
  settings: StreamSettings;
  /** How long published rows are kept. */
  retentionMs: number;
  log: Log;
  metrics: OutboxMetrics;
  tracing?: Tracing | undefined;
  watermark: LowWatermark;
  /** Aborted when this process no longer leads. */
  signal: AbortSignal;
}): StreamPublisher {
  const { client, connection, settings, retentionMs, log, metrics, tracing, watermark, signal } = options;
  const subjects = subjectsFor(settings.prefix);
  const jetstream = connection.jetstream();
  const readStream = createStreamReader(connection, settings, log);
  /** The statement that marks the last batch. The next select is sent before its answer, and Postgres executes it after it. */
  let marking: Promise<void> = Promise.resolve();
  let stream: StreamEnd | undefined;
  let checkAt = 0;
  let deleteAt = 0;
  let lastWarning = '';

  async function publishNext(): Promise<PublishResult> {
    if (performance.now() >= checkAt && !(await checkStream())) return 'blocked';
    if (!stream) return 'blocked';
    if (performance.now() >= deleteAt) await deleteOld(stream);

    const [{ rows, hasMore }] = await Promise.all([selectWaiting(client, watermark.position), marking]);
    if (rows.length === 0) {
      watermark.advance();
      return 'idle';
    }
    const result = await publishBatch(jetstream, subjects, rows, stream, tracing);
    await record(result, stream);
    if (result.unconfirmed > 0) recheckStream();
    else watermark.advance(hasMore ? rows.at(-1)?.position : undefined);
    if (result.stored.length + result.unpublishable.length === 0) {
      warnOnce(result.reason ?? '');
      return 'blocked';
    }
    return hasMore || result.unconfirmed > 0 ? 'more' : 'idle';
  }

  /** Reads the state of the stream; when it may have lost messages, their rows wait again. False when it cannot be read. */
  async function checkStream(): Promise<boolean> {
    let current: StreamEnd;
    try {
      current = await readStream();
    } catch (error) {
      warnOnce((error as Error).message);
      return false;
    }
    // A new leader does not know the state before it, so it always compares.
    if (!stream || current.createdAt !== stream.createdAt || current.lastSeq < stream.lastSeq) {
      const events = await requeueLost(client, current, signal);
      if (signal.aborted) return false;
      if (events > 0) {
        watermark.reset();
        log.warn({ events }, 'the stream has lost events that it acknowledged: publishing them again');
      }
    }
    stream = current;
    await watermark.update();
    checkAt = performance.now() + checkIntervalMs;
    return true;
  }

  async function record(result: BatchResult, { createdAt, lastSeq }: StreamEnd): Promise<void> {
    const { stored, unpublishable, unconfirmed } = result;
    if (stored.length > 0) {
      marking = markPublished(client, stored, createdAt);
      // Its failure is thrown by the next `publishNext`.
      marking.catch(() => {});
      stream = { createdAt, lastSeq: Math.max(lastSeq, ...stored.map(({ streamSeq }) => streamSeq)) };
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

  async function deleteOld(current: StreamEnd): Promise<void> {
    const result = await deletePublished(client, current, retentionMs);
    deleteAt = performance.now() + deleteIntervalMs[result];
    if (result === 'timeout')
      log.warn('removing published events took more than a second: is a transaction open for long?');
  }

  function warnOnce(reason: string): void {
    if (reason !== lastWarning) log.warn({ reason }, 'NATS accepts no events: they wait in the outbox');
    lastWarning = reason;
  }

  function recheckStream(): void {
    checkAt = 0;
  }

  return { publishNext, recheckStream };
}
