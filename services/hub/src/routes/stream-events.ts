import type { Clock } from '@expert-relay/kit/clock';
import { networkOf } from '@expert-relay/kit/http';
import { type Authorise, readCredential } from '../authorise/authorise.ts';
import { jitter, openingChunk } from '../events/encode.ts';
import { isStartTime, type Position, type StartFrom, unknownPosition } from '../events/position.ts';
import type { EventHistory } from '../history/event-history.ts';
import type { StreamEvents } from '../http/create-handler.ts';
import { startStream, streamHeaders } from '../http/detachable-socket.ts';
import { readStartFrom, readTopics } from '../http/read-subscription.ts';
import { type RetryTimes, refuseStream, StreamRefused } from '../http/refuse-stream.ts';
import type { CatchUp } from '../resume/catch-up.ts';
import type { CapName, StreamCaps } from '../sse/stream-caps.ts';
import type { StreamMetrics } from '../sse/stream-metrics.ts';
import { FlushQueue, StreamWriter } from '../sse/stream-writer.ts';
import type { Streams } from '../sse/streams.ts';
import { Subscriber } from '../sse/subscriber.ts';

export interface StreamEventsSettings extends RetryTimes {
  readonly lifetime: number;
  readonly maxBufferedBytes: number;
}

/** `GET {hub_url}?topic=...`: opens a stream, or answers why not. */
export function createStreamEvents(options: {
  authorise: Authorise;
  history: EventHistory;
  caps: StreamCaps;
  streams: Streams;
  catchUp: CatchUp;
  settings: StreamEventsSettings;
  clock: Clock;
  metrics: StreamMetrics;
}): StreamEvents {
  const { authorise, history, caps, streams, catchUp, settings, clock, metrics } = options;
  const { maxBufferedBytes } = settings;
  const flushes = new FlushQueue();

  function requireOpenHub(): void {
    if (streams.isStopping) throw new StreamRefused('stopping');
    // Later, while the newest events are being read, a stream is opened and waits for them.
    if (!history.hasReachedStream) throw new StreamRefused('starting');
  }

  function requireNoCap(reached: CapName | undefined): void {
    if (reached !== undefined) throw new StreamRefused('too_many_streams', reached);
  }

  /**
   * The position in the opening block. A subscriber that resumes keeps its own, until it gets an event. One that begins with a
   * start position gets one when it is known whether events are missing.
   */
  function openingPosition(from: StartFrom | undefined): Position | undefined {
    if (from === undefined) return history.hasCaughtUp ? history.current : undefined;
    return from === 'earliest' || from === unknownPosition || isStartTime(from) ? undefined : from;
  }

  async function open(...[request, response, query, call]: Parameters<StreamEvents>): Promise<void> {
    const topics = readTopics(query);
    const from = readStartFrom(request, query);
    const presented = readCredential(request, query);
    requireOpenHub();
    const network = networkOf(call.client);
    requireNoCap(caps.reachedBeforeCheck(network, presented === undefined));
    const credential = await authorise(presented, topics, { network, callId: call.id });
    call.caller = credential?.kind ?? 'none';
    const client = { credential, network };
    requireOpenHub();
    requireNoCap(caps.reached(client));
    if (request.method === 'HEAD') {
      response.writeHead(200, streamHeaders).end();
      return;
    }
    const connection = startStream(response);
    if (!connection) return;
    const writer = new StreamWriter({ ...connection, maxBufferedBytes, flushes });
    const openedAt = clock.now();
    // Up to a fifth earlier, so that streams that began at the same time end at different times.
    const endsAt = openedAt + settings.lifetime * (1 - Math.random() / 5);
    const subscriber = new Subscriber({ writer, topics, callId: call.id, openedAt, endsAt, ...client });
    streams.add(subscriber);
    writer.write(openingChunk(jitter(settings.retry), openingPosition(from)));
    catchUp.add(subscriber, from);
  }

  return async (request, response, query, call) => {
    try {
      await open(request, response, query, call);
    } catch (error) {
      if (!(error instanceof StreamRefused)) throw error;
      metrics.refused.inc({ reason: error.label });
      refuseStream(response, error.reason, settings);
    }
  };
}
