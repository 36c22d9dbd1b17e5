import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPageStorage } from '../storage/storage.ts';
import { requestRow } from '../testing/requests.ts';
import { createStore } from '../ui/store.ts';
import type { Rows } from './rows.ts';
import { createVisit, isNew } from './visit.ts';

test('a request that arrives while the last visit is read from the storage is new', async () => {
  Object.assign(globalThis, { document: new EventTarget() });
  let answer = () => {};
  const reading = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  const visit = createVisit({ ...createPageStorage(), get: () => reading });
  const stop = visit.follow(createStore<Rows>([]));
  await pause(10);
  const row = requestRow(0, { lastActivityAt: new Date().toISOString() });
  await pause(10);
  answer();
  await pause(0);
  const seen = visit.seen.get();
  expect(seen && isNew(row, seen)).toBe(true);
  stop();
  Reflect.deleteProperty(globalThis, 'document');
});
