import { Counter, Gauge, type Metrics } from '@expert-relay/kit/metrics';
import type pg from 'pg';
import { isWaiting } from './waiting-rows.ts';

export interface OutboxMetrics {
  readonly published: Counter;
  readonly retries: Counter;
  readonly leader: Gauge;
  /** Counts the waiting rows, which are all above `watermark`; only the leader calls it. */
  measure(client: pg.ClientBase, watermark: number): Promise<void>;
  /** For a process that no longer leads: it reports no backlog. */
  clear(): void;
}

export function createOutboxMetrics(metrics: Metrics): OutboxMetrics {
  const registers = [metrics];
  const waiting = new Gauge({
    name: 'relay_outbox_waiting_rows',
    help: 'Committed events that are not yet published, counted up to 100,000; 0 where the outbox is not led.',
    registers,
  });
  const oldest = new Gauge({
    name: 'relay_outbox_oldest_waiting_seconds',
    help: 'How long the first of the waiting events has waited; 0 where the outbox is not led.',
    registers,
  });
  const failed = new Gauge({
    name: 'relay_outbox_set_aside_rows',
    help: 'Events that can never be published and were set aside; 0 where the outbox is not led.',
    registers,
  });
  return {
    leader: new Gauge({
      name: 'relay_outbox_leader',
      help: '1 where the outbox is led, 0 elsewhere: one process of requests or messages leads it.',
      registers,
    }),
    published: new Counter({
      name: 'relay_outbox_published_total',
      help: 'Events that NATS acknowledged.',
      registers,
    }),
    retries: new Counter({
      name: 'relay_outbox_retries_total',
      help: 'Publishes that NATS did not acknowledge and that are repeated.',
      registers,
    }),
    async measure(client, watermark) {
      const { rows } = await client.query<{ waiting: number; oldest: number; failed: number }>(measureText, [
        watermark,
      ]);
      waiting.set(rows[0]?.waiting ?? 0);
      oldest.set(rows[0]?.oldest ?? 0);
      failed.set(rows[0]?.failed ?? 0);
    },
    clear() {
      for (const gauge of [waiting, oldest, failed]) gauge.set(0);
    },
  };
}

const waits = `${isWaiting} AND position > $1`;

/** Counts up to 100,000: for ten million it would take longer than the leader's statement timeout. */
const countTo = (which: string) =>
  `(SELECT count(*)::int FROM (SELECT FROM outbox_events WHERE ${which} LIMIT 100000) AS counted)`;

const measureText = `
  SELECT
    ${countTo(waits)} AS waiting,
    ${countTo('failed_at IS NOT NULL')} AS failed,
    COALESCE((
      SELECT extract(epoch FROM clock_timestamp() - recorded_at)::float8 FROM outbox_events
      WHERE ${waits} ORDER BY position LIMIT 1), 0) AS oldest`;
