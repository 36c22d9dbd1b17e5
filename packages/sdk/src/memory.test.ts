import { expect, test } from '@jest/globals';
import { continued, createMemory, partOf } from './memory.ts';

test('parts of a memory are apart', async () => {
  const memory = createMemory();
  const [one, other] = ['one', 'other'].map((name) => partOf(memory, async () => name));
  await one?.set('expert', 'a');
  expect(await other?.remember('expert', 'b')).toBe('b');
  expect([await one?.get('expert'), await other?.get('expert')]).toEqual(['a', 'b']);
});

test('a memory that continues another one takes over its values, and changes only its own', async () => {
  const [earlier, own] = [createMemory(), createMemory()];
  await earlier.set('request', 'first');
  const memory = continued(own, earlier);
  expect(await memory.get('request')).toBe('first');
  expect(await own.get('request')).toBe('first');
  expect(await memory.get('other')).toBeUndefined();
  expect(await memory.remember('request', 'second')).toBe('first');
  await memory.set('request', 'third');
  expect(await memory.get('request')).toBe('third');
  expect(await earlier.get('request')).toBe('first');
});
