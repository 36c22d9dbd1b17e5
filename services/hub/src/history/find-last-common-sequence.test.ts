import { beforeEach, describe, expect, test } from '@jest/globals';
import { noCheck } from '../events/position.ts';
import { RequestEvents } from '../testing/make-event.ts';
import { EventHistory } from './event-history.ts';
import { findLastCommonSequence } from './find-last-common-sequence.ts';

/** One event for each letter, `a` first. */
let bytesOf: Map<string, Uint8Array>;

beforeEach(() => {
  const request = new RequestEvents();
  bytesOf = new Map([...'abcdefgh'].map((letter) => [letter, request.newMessage().bytes]));
});

function makeHistory(events: number, sequence = 0): EventHistory {
  const history = new EventHistory({ limits: { events, bytes: 1e9 }, clock: { now: () => 1_000_000 } });
  history.restart({ epoch: 'first', sequence, check: noCheck });
  return history;
}

describe('the last common sequence of ring and stream', () => {
  test.each([
    // what was read; what the stream holds now (- has expired); the ring's size; the result
    ['abcde', 'abcde', 5, 5],
    ['abcde', 'abcdefg', 5, 5],
    ['abcde', 'abc', 5, 3],
    ['abcde', 'abcgh', 5, 3],
    ['abcde', 'agh', 5, 1],
    ['abcde', '---de', 5, 5],
    ['abcde', '---dg', 5, 4],
    ['abcde', 'fgh', 5, undefined],
    ['abcde', 'abcfg', 2, 3],
    ['abcde', 'abfgh', 2, undefined],
  ])('the hub has read %s, the stream holds %s, a ring of %i', async (read, held, size, expected) => {
    const history = makeHistory(size);
    for (const [index, letter] of [...read].entries())
      history.append(index + 1, bytesOf.get(letter) as Uint8Array);
    const natsStream = { readOne: async (sequence: number) => bytesOf.get(held[sequence - 1] ?? '') };
    const state = { firstSeq: held.lastIndexOf('-') + 2, lastSeq: held.length };
    expect(await findLastCommonSequence(history.ring, natsStream, state)).toBe(expected);
  });

  test.each([
    [0, 0],
    [4, 4],
    [3, undefined],
  ])('the hub has read nothing after its start, the stream ends with %i of 4', async (lastSeq, expected) => {
    const history = makeHistory(100, lastSeq === 0 ? 0 : 4);
    const natsStream = { readOne: async () => undefined };
    expect(await findLastCommonSequence(history.ring, natsStream, { firstSeq: 1, lastSeq })).toBe(expected);
  });
});
