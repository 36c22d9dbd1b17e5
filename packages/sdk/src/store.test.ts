import { expect, test } from '@jest/globals';
import { continued, createMemoryStore, partOf } from './store.ts';

test('parts of a store are apart', async () => {
  const store = createMemoryStore();
  const [one, other] = ['one', 'other'].map((name) => partOf(store, async () => name));
  await one?.set('expert', 'a');
  expect(await other?.remember('expert', 'b')).toBe('b');
  expect([await one?.get('expert'), await other?.get('expert')]).toEqual(['a', 'b']);
});

test('a store that continues another one takes over its values, and changes only its own', async () => {
  const [earlier, own] = [createMemoryStore(), createMemoryStore()];
  await earlier.set('request', 'first');
  const store = continued(own, earlier);
  expect(await store.get('request')).toBe('first');
  expect(await own.get('request')).toBe('first');
  expect(await store.get('other')).toBeUndefined();
  expect(await store.remember('request', 'second')).toBe('first');
  await store.set('request', 'third');
  expect(await store.get('request')).toBe('third');
  expect(await earlier.get('request')).toBe('first');
});
