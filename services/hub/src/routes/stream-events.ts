import type { IncomingMessage } from 'node:http';
import type { Clock } from '@expert-relay/kit/clock';
import { type ClientAddress, networkOf } from '@expert-relay/kit/http';
import type { Authorise } from '../authorise/authorise.ts';
import { readPresented } from '../authorise/presented.ts';
import type { Feed } from '../feed/feed.ts';
import type { Position } from '../feed/position.ts';
import type { StreamEvents } from '../http/create-handler.ts';
import { readFrom } from '../http/read-from.ts';
import { readTopics } from '../http/read-topics.ts';
import { streamHeaders, takeOver } from '../http/take-over.ts';
import { type RetryTimes, turnAway } from '../http/turn-away.ts';
import type { CatchUp } from '../resume/catch-up.ts';
import type { From } from '../resume/resumption.ts';
import { opening } from '../stream/blocks.ts';
import { jitter } from '../stream/jitter.ts';
import { Outlet } from '../stream/outlet.ts';
import type { CapName, StreamCaps } from '../stream/stream-caps.ts';
import type { StreamMetrics } from '../stream/stream-metrics.ts';
import type { Streams } from '../stream/streams.ts';
import { Subscriber } from '../stream/subscriber.ts';
import { WriteBatch } from '../stream/write-batch.ts';
import { TurnedAway } from '../turned-away.ts';

export interface StreamEventsSettings extends RetryTimes {
  readonly lifetime: number;
  readonly maxBufferedBytes: number;
}

/** `GET {hub_url}?topic=...`: opens a stream, or answers why not. */
export function createStreamEvents(options: {
  authorise: Authorise;
  addressOf: ClientAddress;
  feed: Feed;
  caps: StreamCaps;
  streams: Streams;
  catchUp: CatchUp;
  hasFollowed: () => boolean;
  settings: StreamEventsSettings;
  clock: Clock;
  metrics: StreamMetrics;
}): StreamEvents {
  const { authorise, addressOf, feed, caps, streams, catchUp, settings, clock, metrics } = options;
  const batch = new WriteBatch();

  function checkOpen(): void {
    if (streams.isStopping) throw new TurnedAway('stopping');
    // While the newest events are read a stream is opened, and served as soon as they are.
    if (!feed.hasBegun) throw new TurnedAway('starting');
  }

  function checkCap(reached: CapName | undefined): void {
    if (reached !== undefined) throw new TurnedAway('too_many_streams', reached);
  }

  /** A reader that resumes is at the position that it names, until something else is sent. */
  function placeOf(from: From | undefined): Position | undefined {
    if (from === undefined) return options.hasFollowed() ? feed.place : undefined;
    return from === 'earliest' || from.epoch === '' ? undefined : from;
  }

  async function open(...[request, response, query, call]: Parameters<StreamEvents>): Promise<void> {
    const topics = readTopics(query);
    const from = readFrom(request, query);
    const presented = readPresented(request, query);
    checkOpen();
    const network = networkOf(addressOf(request));
    checkCap(caps.reachedBefore(network, presented === undefined));
    const credential = await authorise(presented, topics, { network, callId: call.id });
    call.caller = credential?.id.split(':', 1)[0] ?? 'none';
    const holder = { credential, network };
    checkOpen();
    checkCap(caps.reached(holder));
    if (isHead(request)) {
      response.writeHead(200, streamHeaders).end();
      return;
    }
    const taken = takeOver(response);
    if (!taken) return;
    const outlet = new Outlet({ ...taken, maxWaiting: settings.maxBufferedBytes, batch });
    // Up to a fifth earlier, so that streams which began together do not end together.
    const openedAt = clock.now();
    const endsAt = openedAt + settings.lifetime * (1 - Math.random() / 5);
    const subscriber = new Subscriber({ outlet, topics, requestId: call.id, openedAt, endsAt, ...holder });
    streams.add(subscriber);
    outlet.write(opening(jitter(settings.retry), placeOf(from)));
    if (from === undefined) catchUp.begin(subscriber);
    else catchUp.resume(subscriber, from);
  }

  return async (...call) => {
    try {
      await open(...call);
    } catch (error) {
      if (!(error instanceof TurnedAway)) throw error;
      metrics.turnedAway.inc({ reason: error.label });
      turnAway(call[1], error.reason, settings);
    }
  };
}

const isHead = (request: IncomingMessage): boolean => request.method === 'HEAD';
