import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import type { LineLevel } from '@expert-relay/kit/http';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Metrics } from '@expert-relay/kit/metrics';
import type { Nats } from '@expert-relay/kit/nats';
import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { Tracing } from '@expert-relay/kit/tracing';
import { createRevocationPoll } from './authorise/revocation-poll.ts';
import { Revocations } from './authorise/revocations.ts';
import type { Config } from './config.ts';
import { EventHistory, type ReceivedEvent } from './history/event-history.ts';
import { Follower } from './history/follower.ts';
import { createNatsStream } from './nats/nats-stream.ts';
import { CatchUp } from './resume/catch-up.ts';
import { ScanLimit } from './resume/scan-limit.ts';
import { StreamCaps } from './sse/stream-caps.ts';
import { createStreamMetrics } from './sse/stream-metrics.ts';
import { Streams } from './sse/streams.ts';
import { SubscribersByTopic } from './sse/subscriber.ts';

/**
 * Creates the parts and connects them. The follower reads each event from NATS and adds it to the history; then it is sent to
 * the live streams and to those that waited for it.
 */
export function createHub(options: {
  config: Pick<Config, 'nats' | 'ring' | 'stream' | 'caps' | 'scans'>;
  nats: Nats;
  requests: ServiceClient;
  clock: Clock;
  log: Log;
  lineLevel: LineLevel;
  metrics: Metrics;
  tracing: Tracing;
}) {
  const { config, nats, requests, clock, log, lineLevel, tracing } = options;
  const natsStream = createNatsStream({ nats, prefix: config.nats.prefix });
  const caps = new StreamCaps(config.caps);
  const metrics = createStreamMetrics(options.metrics, caps);
  const history = new EventHistory({ limits: config.ring, clock });
  const live = new SubscribersByTopic();
  const scanLimit = new ScanLimit({ limits: config.scans, clock, refused: metrics.scansRefused });
  const catchUp = new CatchUp({ history, live, natsStream, scanLimit, metrics, log });
  const revocations = new Revocations(clock);
  const streams = new Streams({
    history,
    live,
    caps,
    settings: config.stream,
    clock,
    metrics,
    tracing,
    log,
    lineLevel,
    endOfCredential: (credential) => revocations.endOf(credential),
    onClosed: (subscriber) => catchUp.leave(subscriber),
  });

  /** Revocations come in two ways: as events of NATS, and from requests. Each works while the other server is away. */
  function applyRevocation(event: EventHead): void {
    const credentialId = revocations.add(event);
    if (credentialId !== undefined) streams.checkCredential(credentialId);
  }

  function count({ event, recordedAt }: ReceivedEvent): void {
    if (!event) return;
    metrics.events.inc({ type: event.type ?? 'unknown' });
    if (recordedAt !== undefined) metrics.eventAge.observe((clock.now() - recordedAt) / 1_000);
  }

  const follower = new Follower({
    nats,
    natsStream,
    history,
    initialEvents: config.ring.events,
    onCaughtUp: () => catchUp.startPending(),
    onEvent(received) {
      streams.send(received);
      catchUp.onEvent();
      if (received.event) applyRevocation(received.event);
      else {
        const { sequence } = received.entry;
        log.error({ sequence }, 'the stream holds a message that is not an event: it is skipped');
      }
      // Events from before the start of this hub are not counted.
      if (history.hasCaughtUp) count(received);
    },
    onBreak({ hasGap }) {
      // Before `catchUp.onBreak`, which may reset other subscribers: they become live, and must not be reset again.
      if (hasGap) for (const subscriber of streams) if (subscriber.isLive) catchUp.resetSoon(subscriber);
      catchUp.onBreak();
    },
    log,
  });

  const poll = createRevocationPoll({
    requests,
    onEvent: applyRevocation,
    onRead() {
      revocations.areComplete = true;
    },
    log,
  });

  const parts: readonly Part[] = [poll, follower, catchUp, streams];
  return { history, caps, streams, catchUp, revocations, metrics, parts };
}
