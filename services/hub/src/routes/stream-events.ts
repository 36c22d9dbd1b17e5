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
import { streamHeaders, type TakeOver } from '../http/take-over.ts';
import { turnAway } from '../http/turn-away.ts';
import type { CatchUp } from '../resume/catch-up.ts';
import type { From } from '../resume/resumption.ts';
import { type EndReason, opening } from '../stream/blocks.ts';
import { jitter } from '../stream/jitter.ts';
import { Outlet } from '../stream/outlet.ts';
import type { StreamCaps } from '../stream/stream-caps.ts';
import type { StreamMetrics } from '../stream/stream-metrics.ts';
import type { Streams } from '../stream/streams.ts';
import { Subscriber } from '../stream/subscriber.ts';
import { WriteBatch } from '../stream/write-batch.ts';

export interface StreamEventsSettings {
  readonly lifetime: number;
  readonly retry: number;
  readonly busyRetry: number;
  readonly maxBufferedBytes: number;
}

/** `GET {hub_url}?topic=...`: opens a stream, or says why not. */
export function createStreamEvents(options: {
  authorise: Authorise;
  addressOf: ClientAddress;
  takeOver: TakeOver;
  feed: Feed;
  caps: StreamCaps;
  streams: Streams;
  catchUp: CatchUp;
  hasFollowed: () => boolean;
  settings: StreamEventsSettings;
  clock: Clock;
  metrics: StreamMetrics;
}): StreamEvents {
  const { authorise, addressOf, takeOver, feed, caps, streams, catchUp, settings, clock, metrics } = options;
  const batch = new WriteBatch();

  function whyNot(holder: Parameters<StreamCaps['reached']>[0]): EndReason | undefined {
    if (streams.isStopping) return 'stopping';
    // Who comes while the newest events are read is let in, and served in a moment.
    if (!feed.hasBegun) return 'starting';
    return caps.reached(holder) === undefined ? undefined : 'too_many_streams';
  }

  /** Who resumes is where it says that it is, as long as nothing else was sent. */
  function placeOf(from: From | undefined): Position | undefined {
    if (from === undefined) return options.hasFollowed() ? feed.place : undefined;
    return from === 'earliest' || from.epoch === '' ? undefined : from;
  }

  return async (request, response, query) => {
    const topics = readTopics(query);
    const from = readFrom(request, query);
    const credential = await authorise(readPresented(request, query), topics);
    if (request.socket.destroyed) return;

    const holder = { credential, network: networkOf(addressOf(request)) };
    const reason = whyNot(holder);
    if (reason !== undefined) {
      metrics.turnedAway.inc({ reason: caps.reached(holder) ?? reason });
      turnAway(response, reason, reason === 'too_many_streams' ? settings.busyRetry : settings.retry);
      return;
    }
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
    const subscriber = new Subscriber({ outlet, topics, openedAt, endsAt, ...holder });
    streams.add(subscriber);
    outlet.write(opening(jitter(settings.retry), placeOf(from)));
    if (from === undefined) catchUp.begin(subscriber);
    else catchUp.resume(subscriber, from);
  };
}

const isHead = (request: IncomingMessage): boolean => request.method === 'HEAD';
