import { expect, test } from '@jest/globals';
import { SeenChanges } from './seen-changes.ts';

const admitted = (seqs: number[], seen = new SeenChanges(10)) =>
  seqs.filter((seq) => seen.add('request', seq));

test.each([
  ['in order', [1, 2, 3], [1, 2, 3]],
  ['each once', [1, 2, 2, 1, 3, 3, 2], [1, 2, 3]],
  ['all of a conversation again', [1, 2, 3, 4, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5]],
  ['a late one, once', [1, 2, 4, 3, 3, 5], [1, 2, 4, 3, 5]],
  ['several late ones', [1, 5, 3, 2, 4, 3, 2, 4, 1, 5], [1, 5, 3, 2, 4]],
  ['nothing from before the first one', [7, 6, 5, 8], [7, 8]],
  ['far ahead', [1, 100, 99, 69, 68, 1, 101, 69], [1, 100, 99, 69, 101]],
  ['the oldest ones that are tracked', [1, 32, 2, 33, 2, 1, 3], [1, 32, 2, 33, 3]],
])('%s', (_, seqs, expected) => {
  expect(admitted(seqs)).toEqual(expected);
});

test('gives the same answers as a plain set, in any order of the tracked changes', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const disagreements: number[] = [];
  for (let round = 0; round < 300; round++) {
    const seen = new SeenChanges(10);
    const all = new Set<number>();
    seen.add('request', 0);
    all.add(0);
    for (let step = 0; step < 60; step++) {
      const seq = random(31);
      if (seen.add('request', seq) === all.has(seq)) disagreements.push(seq);
      all.add(seq);
    }
  }
  expect(disagreements).toEqual([]);
});

test('requests without new events are forgotten first', () => {
  const seen = new SeenChanges(2);
  for (const requestId of ['a', 'b', 'c']) seen.add(requestId, 1);
  expect(seen.add('a', 1)).toBe(false);
  seen.add('d', 1);
  expect(seen.add('a', 1)).toBe(false);
  expect(seen.add('b', 1)).toBe(true);
});
