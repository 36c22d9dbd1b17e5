import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { networkOf } from '@expert-relay/kit/http';
import { FlushQueue, StreamWriter } from '../sse/stream-writer.ts';
import { Subscriber } from '../sse/subscriber.ts';

/** A subscriber whose connection, unless the test has one, is a buffer in memory that is never full. */
export function makeSubscriber(
  options: Partial<Pick<Subscriber, 'writer' | 'topics' | 'credential' | 'network'>> = {},
): Subscriber {
  const socket = new PassThrough({ highWaterMark: 2 ** 24 }) as unknown as Socket;
  return new Subscriber({
    writer: new StreamWriter({
      socket,
      isChunked: true,
      maxBufferedBytes: 2 ** 20,
      flushes: new FlushQueue(),
    }),
    topics: [],
    credential: undefined,
    network: networkOf('192.0.2.1'),
    callId: '',
    openedAt: 0,
    endsAt: 0,
    ...options,
  });
}
