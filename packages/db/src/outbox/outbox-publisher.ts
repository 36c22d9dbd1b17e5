import { setTimeout as pause } from 'node:timers/promises';
import { subjectsFor } from '@expert-relay/contracts';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Metrics } from '@expert-relay/kit/metrics';
import type { Nats } from '@expert-relay/kit/nats';
import type { Tracing } from '@expert-relay/kit/tracing';
import { createWakeup } from '@expert-relay/kit/wakeup';
import type { Subscription } from 'nats';
import type pg from 'pg';
import { runAsLeader } from './leader-lock.ts';
import { createLowWatermark } from './low-watermark.ts';
import { createOutboxMetrics } from './metrics.ts';
import type { StreamSettings } from './stream.ts';
import { createStreamPublisher, type PublishResult, type StreamPublisher } from './stream-publisher.ts';
import { createWakeupSender } from './wakeup-sender.ts';

export interface OutboxPublisherOptions {
  /** Postgres without a pooler: the leader's lock is bound to the connection. */
  readonly directUrl: string;
  readonly nats: Nats;
  readonly stream: StreamSettings;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
  /** How long published rows are kept: well beyond NATS's own `sync_interval`, and as long as hubs remember a revocation. */
  readonly retentionMs?: number;
}

export interface OutboxPublisher extends Part {
  /** Call it after a commit: the leader, here or in another process, publishes at once instead of half a second later. */
  wake(): void;
}

const defaultRetentionMs = 600_000;

const pollIntervalMs = 500;
const measureIntervalMs = 2_000;
const minBackoffMs = 50;
const maxBackoffMs = 1_000;
const settleTimeoutMs = 500;

/**
 * Publishes the rows of the outbox. It runs in every process of requests and messages; on one database one of them
 * leads, and another takes over within two seconds of its end. Writers never wait for it: they only commit,
 * and while NATS is away their events stay in the table.
 */
export function createOutboxPublisher(options: OutboxPublisherOptions): OutboxPublisher {
  const { directUrl, nats, stream: settings, log, tracing, retentionMs = defaultRetentionMs } = options;
  const metrics = createOutboxMetrics(options.metrics);
  const wakeLeader = createWakeupSender(nats, settings.prefix);
  const wakeup = createWakeup();
  const stopping = new AbortController();
  let isLeader = false;
  let running: Promise<void> | undefined;

  async function lead(client: pg.Client, signal: AbortSignal): Promise<void> {
    isLeader = true;
    metrics.leader.set(1);
    let wakeups: Subscription | undefined;
    let publisher: StreamPublisher | undefined;
    const watermark = createLowWatermark(client);

    async function publishIfConnected(): Promise<PublishResult> {
      const { connection } = nats;
      if (!connection || !nats.connected) {
        publisher?.recheckStream();
        return 'idle';
      }
      wakeups ??= connection.subscribe(subjectsFor(settings.prefix).wakeup, { callback: wakeup.wake });
      publisher ??= createStreamPublisher({
        client,
        connection,
        settings,
        retentionMs,
        log,
        metrics,
        tracing,
        watermark,
        signal,
      });
      return await publisher.publishNext();
    }

    try {
      // A select that begins at the first position could take longer than a statement may.
      await watermark.untilSettled(settleTimeoutMs, signal);
      let measureAt = 0;
      let backoffMs = minBackoffMs;
      while (!signal.aborted) {
        if (performance.now() >= measureAt) {
          await metrics.measure(client, watermark.position);
          measureAt = performance.now() + measureIntervalMs;
        }
        const result = await publishIfConnected();
        if (result === 'idle') await wakeup.wait(pollIntervalMs, signal);
        backoffMs = result === 'blocked' ? Math.min(backoffMs * 2, maxBackoffMs) : minBackoffMs;
        // A wakeup does not shorten this pause: many writes must not cause many attempts while NATS has a problem.
        if (result === 'blocked') await pause(backoffMs, undefined, { signal }).catch(() => {});
      }
    } finally {
      // On a closed connection, `unsubscribe` throws.
      if (!nats.connection?.isClosed()) wakeups?.unsubscribe();
      metrics.clear();
      isLeader = false;
      metrics.leader.set(0);
    }
  }

  return {
    name: 'outbox publisher',
    wake() {
      if (isLeader) wakeup.wake();
      else wakeLeader();
    },
    async start() {
      // A leader that started before NATS publishes as soon as there is a connection.
      nats.onConnection(wakeup.wake);
      running = runAsLeader({ url: directUrl, log, signal: stopping.signal, lead });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
