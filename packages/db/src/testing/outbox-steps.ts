import { expect } from '@jest/globals';
import { countFaults, type TestOutbox } from './open-outbox.ts';

export async function writeAndWait(outbox: TestOutbox, count: number): Promise<void> {
  await outbox.write('a', count);
  await outbox.untilPublished();
}

/** Expects that the stream has each of this number of events once, in order. */
export async function expectAll(outbox: TestOutbox, count: number): Promise<void> {
  const events = await outbox.stored();
  expect({ stored: events.length, ...countFaults(events) }).toEqual({
    stored: count,
    duplicated: 0,
    disordered: 0,
  });
}
