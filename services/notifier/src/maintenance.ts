import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '@expert-relay/db';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { deleteOldDeliveries } from './deliveries/delete-old.ts';
import { deleteOldStopLinks } from './endpoints/confirmations.ts';
import { deleteOfRevokedKeys } from './endpoints/endpoint-rows.ts';
import { resealTargets } from './endpoints/reseal.ts';
import type { TargetSealer } from './endpoints/seal.ts';
import type { NotifierMetrics } from './notifier-metrics.ts';

const defaultIntervalMs = 15_000;

/** Deletes old deliveries and the webhooks of revoked keys, encrypts endpoints again after a rotation of the key, and measures. */
export function createMaintenance(options: {
  query: Query;
  sealer: TargetSealer;
  metrics: NotifierMetrics;
  log: Log;
  intervalMs?: number;
}): Part {
  const { query, sealer, metrics, log, intervalMs = defaultIntervalMs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  let unreadable = 0;

  async function maintain(): Promise<void> {
    await metrics.measureDue(query);
    await deleteOfRevokedKeys(query);
    while (!signal.aborted && (await deleteOldDeliveries(query)) > 0);
    await query`DELETE FROM notification_confirmations WHERE created_at < now() - interval '1 day'`;
    await deleteOldStopLinks(query);
    const counts = await resealTargets(query, sealer);
    metrics.sealed(counts);
    if (counts.unreadable > unreadable) {
      log.error(
        { endpoints: counts.unreadable },
        'endpoints are encrypted under a key that is not in RELAY_ENDPOINT_KEYS: put it back as the second key',
      );
    }
    unreadable = counts.unreadable;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await maintain().catch((error) =>
        log.warn({ reason: error.message }, 'the maintenance failed: trying again'),
      );
      await pause(intervalMs, undefined, { signal }).catch(() => {});
    }
  }

  return {
    name: 'maintenance',
    async start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
