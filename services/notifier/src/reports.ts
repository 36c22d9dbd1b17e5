import type { Query } from '@expert-relay/db';
import { Counter, Gauge, Histogram, type Metrics } from '@expert-relay/kit/metrics';

export type Reports = ReturnType<typeof createReports>;

/** The notifier's metrics. */
export function createReports(metrics: Metrics) {
  const registers = [metrics];
  const reading = new Gauge({
    name: 'relay_notifier_reading',
    help: 'Whether this process reads the events: one process does, and none while no endpoint is enabled and may be used.',
    registers,
  });
  const events = new Counter({
    name: 'relay_notifier_events_total',
    help: 'Events that were read.',
    registers,
  });
  const inserted = new Counter({
    name: 'relay_notifier_inserted_total',
    help: 'Deliveries that were made from events.',
    registers,
  });
  const attempts = new Counter({
    name: 'relay_notifier_attempts_total',
    help: 'Attempts to deliver, by result: delivered, or the reason of the failure.',
    labelNames: ['result'],
    registers,
  });
  const seconds = new Histogram({
    name: 'relay_notifier_attempt_seconds',
    help: 'How long attempts took.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const inFlight = new Gauge({
    name: 'relay_notifier_attempts_in_flight',
    help: 'Attempts that this process makes now.',
    registers,
  });
  const off = new Counter({
    name: 'relay_notifier_endpoints_switched_off_total',
    help: 'Endpoints that were switched off because they failed for days, or said that they are gone.',
    registers,
  });
  const oldestDue = new Gauge({
    name: 'relay_notifier_oldest_due_seconds',
    help: 'For how long the endpoint that waits longest has had a delivery that is due; 0 when there is none.',
    registers,
  });
  const unreadable = new Gauge({
    name: 'relay_notifier_unreadable_endpoints',
    help: 'Endpoints that are encrypted under a key that is not in RELAY_ENDPOINT_KEYS.',
    registers,
  });
  const oldKey = new Gauge({
    name: 'relay_notifier_endpoints_under_old_key',
    help: 'Endpoints that are still encrypted under the second key of RELAY_ENDPOINT_KEYS.',
    registers,
  });
  return {
    reading: (isReading: boolean) => reading.set(isReading ? 1 : 0),
    read(count: number, deliveries: number) {
      events.inc(count);
      inserted.inc(deliveries);
    },
    attempted({ result, ms }: { result: string; ms: number }) {
      attempts.inc({ result });
      seconds.observe(ms / 1_000);
    },
    inFlight: (count: number) => inFlight.set(count),
    switchedOff: () => off.inc(),
    sealed({ left, unreadable: lost }: { left: number; unreadable: number }) {
      oldKey.set(left);
      unreadable.set(lost);
    },
    async measureDue(query: Query) {
      const [row] = await query<{ seconds: number | null }>`
        SELECT extract(epoch FROM now() - min(next_due_at))::float8 AS seconds
        FROM notification_endpoints WHERE next_due_at <= now()`;
      oldestDue.set(row?.seconds ?? 0);
    },
  };
}
