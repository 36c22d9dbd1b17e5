import { describe, expect, test } from '@jest/globals';
import { checkReader } from './check-reader.ts';
import type { CommittedEvent } from './read-committed.ts';

/* A check that finds no error must be able to find one. */

const committed = (requestId: string, type: string, name: string, streamSeq: number): CommittedEvent => ({
  requestId,
  key: `${type} ${name}`,
  type,
  recordedAt: 0,
  streamSeq,
});
const expected = new Map([
  [
    'a',
    [
      committed('a', 'key_exchange', 'HS-A', 1),
      committed('a', 'new_message', 'm1', 2),
      committed('a', 'request_closed', 'HS-A', 5),
    ],
  ],
  ['b', [committed('b', 'new_message', 'm2', 3), committed('b', 'new_message', 'm3', 4)]],
]);

const exchange = '{"type":"key_exchange","refCode":"HS-A"}';
const closed = '{"type":"request_closed","refCode":"HS-A"}';
const message = (messageId: string) => JSON.stringify({ type: 'new_message', role: 'consumer', messageId });
const segment = (data: readonly string[], after?: string) => ({
  events: data.map((text) => ({ data: text, at: 0 })),
  ...(after === undefined ? {} : { after }),
});
const good = { expected: 5, delivered: 5, lost: 0, duplicated: 0, outOfOrder: 0, unexpected: 0, resets: 0 };
const whole = [exchange, message('m1'), message('m2'), message('m3'), closed];

describe('a reader', () => {
  test.each([
    [
      'received everything, with the requests in any order',
      [message('m2'), exchange, message('m1'), closed, message('m3')],
      {},
    ],
    ['lost an event', whole.toSpliced(1, 1), { delivered: 4, lost: 1 }],
    ['received an event twice', [...whole, closed], { delivered: 6, duplicated: 1 }],
    [
      'received the events of a request in the wrong order',
      [message('m1'), exchange, ...whole.slice(2)],
      { outOfOrder: 1 },
    ],
    ['received an event that was not committed', [...whole, message('m9')], { delivered: 6, unexpected: 1 }],
  ])('%s', (_, events, fault) => {
    expect(checkReader([segment(events)], expected)).toEqual({ ...good, ...fault });
  });

  test('that was reset may miss earlier events, and receive known ones again', () => {
    const segments = [segment([exchange]), segment([exchange, message('m3'), closed], 'epoch.3.00000000')];
    expect(checkReader(segments, expected)).toEqual({ ...good, delivered: 4, resets: 1 });
  });

  test('that was reset must receive every later event once', () => {
    const segments = [segment([exchange]), segment([closed, closed], 'epoch.3.00000000')];
    expect(checkReader(segments, expected)).toMatchObject({ lost: 1, duplicated: 1, resets: 1 });
  });
});
