import { setTimeout as pause } from 'node:timers/promises';
import { subjectsFor } from '@expert-relay/contracts';
import type { Nats } from '@expert-relay/kit/nats';
import type { Subscription } from 'nats';
import type { Bell } from './bell.ts';
import { createPublisher, type PublisherOptions } from './create-publisher.ts';
import { createWatermark } from './watermark.ts';

const pollEvery = 500;
const measureEvery = 2_000;
const shortestPause = 50;
const longestPause = 1_000;
const settleWithinMs = 500;

/** The leader's work, until `lost` says that it no longer leads. Fails when Postgres does. */
export async function leadOutbox(
  options: Omit<PublisherOptions, 'connection' | 'watermark'> & { nats: Nats; bell: Bell },
): Promise<void> {
  const { client, nats, bell, lost, metrics, settings } = options;
  const watermark = createWatermark(client);
  let publisher: ReturnType<typeof createPublisher> | undefined;
  let nudges: Subscription | undefined;
  let measureAt = 0;
  let stuckFor = shortestPause;
  try {
    // A search for waiting rows that begins at the first position may take longer than a statement may.
    for (const until = performance.now() + settleWithinMs; performance.now() < until && !lost.aborted; ) {
      await watermark.look();
      if (watermark.isSettled) break;
      await pause(10);
    }
    while (!lost.aborted) {
      if (performance.now() >= measureAt) {
        await metrics.measure(client, watermark.position);
        measureAt = performance.now() + measureEvery;
      }
      const { connection } = nats;
      if (!connection || !nats.connected) {
        publisher?.doubt();
        await bell.wait(pollEvery, lost);
        continue;
      }
      nudges ??= connection.subscribe(subjectsFor(settings.prefix).nudge, { callback: () => bell.ring() });
      publisher ??= createPublisher({ ...options, connection, watermark });
      const came = await publisher.round();
      if (came === 'done') await bell.wait(pollEvery, lost);
      stuckFor = came === 'stuck' ? Math.min(stuckFor * 2, longestPause) : shortestPause;
      // Not on the bell: writers that nudge must not hurry a NATS that is in trouble.
      if (came === 'stuck') await pause(stuckFor, undefined, { signal: lost }).catch(() => {});
    }
  } finally {
    if (!nats.connection?.isClosed()) nudges?.unsubscribe();
    metrics.clear();
  }
}
