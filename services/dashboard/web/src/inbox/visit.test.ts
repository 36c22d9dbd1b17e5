import { expect, jest, test } from '@jest/globals';
import { createPageStorage } from '../storage/storage.ts';
import { requestRow } from '../testing/requests.ts';
import { createStore } from '../ui/store.ts';
import type { Rows } from './rows.ts';
import { createVisit, isNew } from './visit.ts';

test('a request that arrives while the last visit is read from the storage is new', async () => {
  let answer = () => {};
  const reading = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  let note = () => {};
  const noted = new Promise<void>((resolve) => {
    note = resolve;
  });
  // What has been on screen is noted when the visit has been read.
  const visibilityState = {
    get() {
      note();
      return 'visible';
    },
  };
  Object.assign(globalThis, {
    document: Object.defineProperties(new EventTarget(), { visibilityState }),
  });
  jest.useFakeTimers({ now: 1_000 });
  const visit = createVisit({ ...createPageStorage(), get: () => reading });
  const stop = visit.follow(createStore<Rows>([]));
  jest.setSystemTime(3_000);
  answer();
  await noted;
  const isNewAt = (at: number) => {
    const seen = visit.seen.get();
    return seen && isNew(requestRow(0, { lastActivityAt: new Date(at).toISOString() }), seen);
  };
  // The storage was read from 1 s to 3 s.
  expect([isNewAt(500), isNewAt(2_000)]).toEqual([false, true]);
  stop();
  jest.useRealTimers();
  Reflect.deleteProperty(globalThis, 'document');
});
