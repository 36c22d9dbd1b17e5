import type { Query } from '@expert-relay/db';
import { Counter, Gauge, Histogram, type Metrics } from '@expert-relay/kit/metrics';
import type { Taken } from './facts/take-facts.ts';

export type NotifierMetrics = ReturnType<typeof createNotifierMetrics>;

/** The notifier's metrics. */
export function createNotifierMetrics(metrics: Metrics) {
  const registers = [metrics];
  const facts = new Counter({
    name: 'relay_notifier_facts_taken_total',
    help: 'Events of users with an enabled endpoint that were taken, to insert their deliveries.',
    registers,
  });
  const inserted = new Counter({
    name: 'relay_notifier_deliveries_inserted_total',
    help: 'Deliveries that were inserted for events.',
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
    help: 'Endpoints that were switched off because they failed for days, said that they are gone, or, of an email address, refused it three times.',
    registers,
  });
  const oldestDue = new Gauge({
    name: 'relay_notifier_oldest_due_seconds',
    help: 'For how long the oldest event that was not taken, or the endpoint that waits longest for a delivery that is due, has waited; 0 when there is none.',
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
    taken(taken: Taken) {
      facts.inc(taken.facts);
      inserted.inc(taken.deliveries);
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
        SELECT extract(epoch FROM now() - LEAST(
          (SELECT min(next_due_at) FROM notification_endpoints WHERE next_due_at <= now()),
          (SELECT at FROM notification_facts ORDER BY position LIMIT 1)))::float8 AS seconds`;
      oldestDue.set(Math.max(row?.seconds ?? 0, 0));
    },
  };
}
