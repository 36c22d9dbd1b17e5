import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Metrics } from '@expert-relay/kit/metrics';
import type { Nats } from '@expert-relay/kit/nats';
import { Revocations, revocationMemory } from './authorise/revocations.ts';
import type { Config } from './config.ts';
import type { Entry } from './feed/entry.ts';
import { Feed } from './feed/feed.ts';
import { createFollower } from './follow/follower.ts';
import { readRevocations } from './follow/read-revocations.ts';
import { createStreamSource } from './follow/stream-source.ts';
import { CatchUp } from './resume/catch-up.ts';
import { ScanBudget } from './resume/scan-budget.ts';
import { Scans } from './resume/scans.ts';
import { Audience } from './stream/audience.ts';
import { StreamCaps } from './stream/stream-caps.ts';
import { createStreamMetrics } from './stream/stream-metrics.ts';
import { Streams } from './stream/streams.ts';

/** From NATS to the open streams: how the pieces hang together. */
export function createHub(options: {
  config: Pick<Config, 'nats' | 'ring' | 'stream' | 'caps' | 'scans'>;
  nats: Nats;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}) {
  const { config, nats, clock, log } = options;
  const source = createStreamSource({ nats, prefix: config.nats.prefix });
  const caps = new StreamCaps(config.caps);
  const metrics = createStreamMetrics(options.metrics, caps);
  const live = new Audience();

  const feed = new Feed({ limits: config.ring, clock, listener: { onEntry, onBreak } });
  const streams = new Streams({
    feed,
    live,
    caps,
    settings: config.stream,
    clock,
    metrics,
    log,
    onGone: (subscriber) => scans.leave(subscriber),
    endOf: (credential) => revocations.endOf(credential),
  });
  const budget = new ScanBudget({ limits: config.scans, clock, refused: metrics.scansRefused });
  const scans: Scans = new Scans({ source, feed, budget, log, destination: () => catchUp });
  const catchUp: CatchUp = new CatchUp({ feed, live, source, scans, metrics });
  const revocations = new Revocations({ clock, onRevoked: (id) => streams.checkCredential(id) });
  const follower = createFollower({
    nats,
    source,
    feed,
    fill: config.ring.events,
    onLevel: () => catchUp.open(),
    prepare: () => readRevocations(source, revocations, new Date(clock.now() - revocationMemory)),
    log,
  });

  function onEntry(entry: Entry, event: EventHead | undefined, repeated: boolean): void {
    streams.deliver(entry, event, repeated);
    catchUp.reconsider();
    if (!event) {
      log.error({ seq: entry.seq }, 'the stream holds a message that is no event: it is left out');
      return;
    }
    revocations.learn(event);
    // What fills the ring at the start was delivered long ago.
    if (!follower.hasFollowed) return;
    metrics.events.inc({ type: event.type ?? 'unknown' }, Math.max(event.requestCount, 1));
    const recordedAt = event.readTime();
    if (recordedAt !== undefined) metrics.eventAge.observe((clock.now() - recordedAt) / 1_000);
  }

  function onBreak(complete: boolean): void {
    scans.interrupt();
    catchUp.reconsider();
    if (!complete) for (const subscriber of streams) if (subscriber.isLive) catchUp.reset(subscriber);
  }

  const parts: readonly Part[] = [follower, scans, streams];
  return {
    feed,
    caps,
    streams,
    catchUp,
    revocations,
    metrics,
    parts,
    hasFollowed: () => follower.hasFollowed,
  };
}
