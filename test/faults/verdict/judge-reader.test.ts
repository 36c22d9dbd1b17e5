import { describe, expect, test } from '@jest/globals';
import { judgeReader } from './judge-reader.ts';
import type { CommittedEvent } from './read-truth.ts';

/* What finds nothing must be known to find something. */

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
const stretch = (data: readonly string[], after?: string) => ({
  events: data.map((text) => ({ data: text, at: 0 })),
  ...(after === undefined ? {} : { after }),
});
const good = { expected: 5, delivered: 5, lost: 0, doubled: 0, disordered: 0, strange: 0, resets: 0 };
const whole = [exchange, message('m1'), message('m2'), message('m3'), closed];

describe('a reader', () => {
  test.each([
    [
      'got everything, requests mixed in any way',
      [message('m2'), exchange, message('m1'), closed, message('m3')],
      {},
    ],
    ['lost one', whole.toSpliced(1, 1), { delivered: 4, lost: 1 }],
    ['got one twice', [...whole, closed], { delivered: 6, doubled: 1 }],
    [
      'got a request’s events in the wrong order',
      [message('m1'), exchange, ...whole.slice(2)],
      { disordered: 1 },
    ],
    ['got what nobody sent', [...whole, message('m9')], { delivered: 6, strange: 1 }],
  ])('%s', (_, events, fault) => {
    expect(judgeReader([stretch(events)], expected)).toEqual({ ...good, ...fault });
  });

  test('that was reset may have missed what was before it, and meet again what it knew', () => {
    const stretches = [stretch([exchange]), stretch([exchange, message('m3'), closed], 'epoch.3.00000000')];
    expect(judgeReader(stretches, expected)).toEqual({ ...good, delivered: 4, resets: 1 });
  });

  test('that was reset must get everything after it, once', () => {
    const stretches = [stretch([exchange]), stretch([closed, closed], 'epoch.3.00000000')];
    expect(judgeReader(stretches, expected)).toMatchObject({ lost: 1, doubled: 1, resets: 1 });
  });
});
