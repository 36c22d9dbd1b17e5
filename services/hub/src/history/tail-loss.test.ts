import { beforeEach, describe, expect, test } from '@jest/globals';
import { noCheck } from '../events/position.ts';
import { noGeneration } from '../sse/subscriber.ts';
import { RequestEvents } from '../testing/make-event.ts';
import { EventHistory } from './event-history.ts';
import { findLastCommonSequence } from './tail-loss.ts';

/** One event for each letter, `a` first. */
let bytesOf: Map<string, Uint8Array>;
let now: number;
let history: EventHistory;

beforeEach(() => {
  const request = new RequestEvents();
  bytesOf = new Map([...'abcdefgh'].map((letter) => [letter, request.newMessage().bytes]));
  now = 1_000_000;
  history = new EventHistory({ limits: { events: 100, bytes: 1e9 }, clock: { now: () => now } });
  history.restart({ epoch: 'first', seq: 0, check: noCheck });
  history.setCaughtUp();
});

/**
 * Applies a timeline such as `abcd lose-after-2 c 30s` to the history: letters are published, `new-stream` is a stream that
 * was created again. Returns the letters that were repeated.
 */
function run(timeline: string): string {
  let repeated = '';
  for (const step of timeline.split(' ')) {
    const [, lastKept] = /^lose-after-(\d+)$/.exec(step) ?? [];
    const [, seconds] = /^(\d+)s$/.exec(step) ?? [];
    if (lastKept !== undefined) history.loseAfter(Number(lastKept));
    else if (seconds !== undefined) now += 1_000 * Number(seconds);
    else if (step === 'new-stream') history.restart({ epoch: 'second', seq: 0, check: noCheck });
    else
      for (const letter of step) {
        const received = history.append(history.current.seq + 1, bytesOf.get(letter) as Uint8Array);
        if (received.isRepeated) repeated += letter;
      }
  }
  return repeated;
}

/** The sequences up to the newest whose positions are unreliable. */
function unreliableSequences(): number[] {
  const { epoch, seq } = history.current;
  const all = Array.from({ length: seq }, (_, index) => ({ epoch, seq: index + 1, check: noCheck }));
  return all.filter((position) => !history.tailLoss.isReliable(position)).map((position) => position.seq);
}

describe('recovery from a tail loss', () => {
  test.each([
    // timeline, repeated events, is recovering, unreliable sequences
    ['abcd', '', false, []],
    ['abcd lose-after-2', '', true, []],
    ['abcd lose-after-2 cd', 'cd', true, [3, 4]],
    ['abcd lose-after-2 dec', 'dc', true, [3, 4, 5]],
    ['abcd lose-after-2 dec 29s', 'dc', true, [3, 4, 5]],
    ['abcd lose-after-2 dec 30s', 'dc', false, [3, 4]],
    ['abcd lose-after-2 dec 30s f', 'dc', false, [3, 4]],
    ['abcd lose-after-2 29s c 29s', 'c', true, [3]],
    // From the newest repeated event on, positions are reliable.
    ['abcd lose-after-2 cd 29s e 1s', 'cd', false, [3]],
    // Lost events that are still missing are awaited for an hour.
    ['abcd lose-after-2 30s', '', true, []],
    ['abcd lose-after-2 e 3599s c 3599s d', 'cd', true, [3, 4, 5]],
    ['abcd lose-after-2 e 3599s c 3599s d 30s', 'cd', false, [3, 4]],
    ['abcd lose-after-2 e 3600s', '', false, []],
    ['abcde lose-after-3 d 40s lose-after-3 40s e 40s d 29s', 'ded', true, [4, 5]],
    ['abcde lose-after-3 d 40s lose-after-3 40s e 40s d 30s', 'ded', false, [4]],
    // A second loss, during recovery and after it.
    ['abcde lose-after-3 d lose-after-1 bcde', 'dbcde', true, [2, 3, 4, 5]],
    ['abcde lose-after-2 c lose-after-3 de', 'cde', true, [3, 4, 5]],
    ['abcde lose-after-2 c lose-after-3 30s f', 'c', true, [3, 4]],
    ['abcde lose-after-2 c lose-after-3 3600s f', 'c', false, [3]],
    ['abcde lose-after-2 cde 30s', 'cde', false, [3, 4]],
    ['new-stream', '', true, []],
    ['abc new-stream abcd', 'abc', true, [1, 2, 3, 4]],
    ['abc new-stream abcd 30s', 'abc', false, [1, 2]],
  ])('%s', (timeline, repeated, isRecovering, unreliable) => {
    expect(run(timeline)).toBe(repeated);
    expect(history.tailLoss.isRecovering).toBe(isRecovering);
    expect(unreliableSequences()).toEqual(unreliable);
  });

  test('positions of an earlier recovery stay unreliable after a second loss', () => {
    run('abcd lose-after-2 dc 30s');
    expect(history.tailLoss.isRecovering).toBe(false);
    run('ef lose-after-5 f');
    expect(unreliableSequences()).toEqual([3, 6]);
    run('30s');
    expect(unreliableSequences()).toEqual([3]);
    run('lose-after-2 c');
    expect(unreliableSequences()).toEqual([3]);
  });

  test('each loss begins a generation', () => {
    run('abcd lose-after-2 cd lose-after-3');
    expect(history.tailLoss.generation).toBe(2);
  });

  test.each([
    ['abcd', []],
    ['abcd lose-after-2', []],
    ['abcd lose-after-2 c lose-after-2', [1]],
    ['abcd lose-after-2 c lose-after-2 c lose-after-2', [2]],
    ['abcd lose-after-2 cd 30s e lose-after-4', []],
  ])('after %s, readers of the generations %j may miss events', (timeline, generations) => {
    run(timeline);
    const all = [noGeneration, 0, 1, 2, 3];
    expect(all.filter((generation) => history.tailLoss.isUncertain(generation))).toEqual(generations);
  });

  test.each([
    ['abcd', 4, true],
    // Its reader may have had c and d, which come after position 2.
    ['abcd lose-after-2', 3, false],
    ['abcd lose-after-2 c', 3, false],
    ['abcd lose-after-2 cd 30s', 4, true],
  ])('after %s, a reader starts at position %i, and has it in heartbeats if it is reliable', (...row) => {
    const [timeline, seq, isReliable] = row;
    run(timeline);
    const { startPosition, heartbeatPosition } = history.tailLoss;
    expect([startPosition.seq, history.tailLoss.isReliable(startPosition)]).toEqual([seq, isReliable]);
    expect(heartbeatPosition).toEqual(isReliable ? startPosition : undefined);
  });
});

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
    history = new EventHistory({ limits: { events: size, bytes: 1e9 }, clock: { now: () => now } });
    history.restart({ epoch: 'first', seq: 0, check: noCheck });
    run(read);
    const natsStream = { readOne: async (seq: number) => bytesOf.get(held[seq - 1] ?? '') };
    const state = { firstSeq: held.lastIndexOf('-') + 2, lastSeq: held.length };
    expect(await findLastCommonSequence(history.ring, natsStream, state)).toBe(expected);
  });

  test.each([
    [0, 0],
    [4, 4],
    [3, undefined],
  ])('the hub has read nothing after its start, the stream ends with %i of 4', async (lastSeq, expected) => {
    history.restart({ epoch: 'first', seq: lastSeq === 0 ? 0 : 4, check: noCheck });
    const natsStream = { readOne: async () => undefined };
    expect(await findLastCommonSequence(history.ring, natsStream, { firstSeq: 1, lastSeq })).toBe(expected);
  });
});
