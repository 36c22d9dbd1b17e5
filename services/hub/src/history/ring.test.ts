import { describe, expect, test } from '@jest/globals';
import { Entry } from '../events/entry.ts';
import { noCheck } from '../events/position.ts';
import { Ring } from './ring.ts';

const epoch = 'e';
const entry = (sequence: number, ...topics: string[]) =>
  new Entry({ epoch, sequence, check: String(sequence).padStart(8, '0') }, new Uint8Array(10), topics);
const filled = (limits: { events: number; bytes: number }, ...entries: Entry[]) => {
  const ring = new Ring(limits);
  ring.restart(
    { epoch, sequence: (entries[0]?.sequence ?? 1) - 1, check: noCheck },
    Number.NEGATIVE_INFINITY,
  );
  for (const one of entries) ring.append(one);
  return ring;
};
const sequences = (entries: readonly Entry[]) => entries.map(({ sequence }) => sequence);
const wide = { events: 100, bytes: 1e9 };

describe('the ring', () => {
  test('returns the events of a topic after a sequence, in order', () => {
    const ring = filled(wide, entry(5, 'a'), entry(6, 'b'), entry(7, 'a', 'b'), entry(8, 'a'));
    expect(sequences(ring.after(4, ['a'], 10))).toEqual([5, 7, 8]);
    expect(sequences(ring.after(5, ['a'], 10))).toEqual([7, 8]);
    expect(sequences(ring.after(8, ['a'], 10))).toEqual([]);
    expect(sequences(ring.after(0, ['unknown'], 10))).toEqual([]);
  });

  test('returns an event of two topics once, and no more events than the limit', () => {
    const ring = filled(wide, entry(5, 'a'), entry(6, 'b'), entry(7, 'a', 'b'), entry(8, 'b'));
    expect(sequences(ring.after(0, ['b', 'a'], 10))).toEqual([5, 6, 7, 8]);
    expect(sequences(ring.after(5, ['b', 'a'], 2))).toEqual([6, 7]);
  });

  test('recognises a position by epoch, sequence and check, the one before its first event included', () => {
    const ring = filled({ ...wide, events: 2 }, entry(5, 'a'), entry(6, 'a'), entry(7, 'a'));
    expect(ring.floor).toEqual({ epoch, sequence: 5, check: '00000005' });
    for (const sequence of [5, 6, 7])
      expect(ring.has({ epoch, sequence, check: `0000000${sequence}` })).toBe(true);
    expect(ring.has({ epoch, sequence: 4, check: '00000004' })).toBe(false);
    expect(ring.has({ epoch, sequence: 8, check: '00000008' })).toBe(false);
    expect(ring.has({ epoch, sequence: 6, check: '00000007' })).toBe(false);
    expect(ring.has({ epoch: 'other', sequence: 6, check: '00000006' })).toBe(false);
  });

  test('removes the oldest beyond its limits of events and bytes, but never the newest', () => {
    const all = Array.from({ length: 50 }, (_, index) => entry(index + 1, `topic ${index % 3}`));
    const few = filled({ ...wide, events: 10 }, ...all);
    expect(few.length).toBe(10);
    expect(sequences(few.after(0, ['topic 0', 'topic 1', 'topic 2'], 100))).toEqual(sequences(all.slice(40)));
    expect(filled({ ...wide, bytes: 5 * (all[0]?.size ?? 0) }, ...all).length).toBe(5);
    expect(filled({ ...wide, bytes: 1 }, ...all).length).toBe(1);
  });

  test('has all events since a time that is later than the times of all that it has removed', () => {
    const ring = filled({ ...wide, events: 2 });
    // Published late: the times are not in order. No subscriber gets the last one but two.
    const times = [10, 40, 20, 90, 30, 50] as const;
    for (const [index, time] of times.entries())
      ring.append(index === 3 ? entry(index + 1) : entry(index + 1, 'a'), time);
    expect([30, 40, 41, 90].map((time) => ring.hasAllSince(time))).toEqual([false, false, true, true]);
    // After a removal at the other end, the events still have their own times.
    ring.removeAfter(5);
    ring.append(entry(6, 'a'), 60);
    ring.append(entry(7, 'a'), 55);
    ring.append(entry(8, 'a'), 55);
    expect([60, 61].map((time) => ring.hasAllSince(time))).toEqual([false, true]);
  });

  test('never has all events after it has removed one without a time, or was told that all may be missing', () => {
    const ring = filled({ ...wide, events: 1 }, entry(1, 'a'));
    expect(ring.hasAllSince(0)).toBe(true);
    ring.append(entry(2, 'a'), 20);
    expect(ring.hasAllSince(1e15)).toBe(false);
    ring.restart(ring.current, 70);
    expect([70, 71].map((time) => ring.hasAllSince(time))).toEqual([false, true]);
    ring.noteMissing(50);
    expect(ring.hasAllSince(71)).toBe(true);
    ring.noteMissing(80);
    expect([80, 81].map((time) => ring.hasAllSince(time))).toEqual([false, true]);
  });

  test('removes events that the stream lost, and continues with others', () => {
    const ring = filled(wide, entry(1, 'a'), entry(2, 'b'), entry(3, 'a'), entry(4, 'b'));
    ring.removeAfter(2);
    expect(ring.current.sequence).toBe(2);
    ring.append(entry(3, 'b'));
    expect(sequences(ring.after(0, ['a'], 10))).toEqual([1]);
    expect(sequences(ring.after(0, ['b'], 10))).toEqual([2, 3]);
    ring.removeAfter(0);
    expect(ring.current).toEqual({ epoch, sequence: 0, check: noCheck });
  });
});
