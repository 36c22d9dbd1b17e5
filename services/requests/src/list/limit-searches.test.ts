import type { Party } from '@expert-relay/db';
import { expect, test } from '@jest/globals';
import { limitSearches, searchesAtOnce } from './limit-searches.ts';

const [ada, bob] = ['a', 'b'].map(
  (sessionId) => ({ kind: 'session', userId: 'user', sessionId }) as const,
) as [Party, Party];

test('a fifth search at once is refused until one has succeeded or failed', async () => {
  const limitSearch = limitSearches();
  const ends: ((error?: Error) => void)[] = [];
  const search = () =>
    new Promise<string>((resolve, reject) =>
      ends.push((error) => (error ? reject(error) : resolve('found'))),
    );
  const refused = { code: 'too_many_at_once', status: 429, headers: { 'retry-after': '60' } };

  const running = Array.from({ length: searchesAtOnce }, () => limitSearch(ada, search));
  await expect(limitSearch(ada, search)).rejects.toMatchObject(refused);
  // Another session of the same user has another limit.
  await expect(limitSearch(bob, async () => 'found')).resolves.toBe('found');

  ends.shift()?.();
  await running.shift();
  running.push(limitSearch(ada, search));
  await expect(limitSearch(ada, search)).rejects.toMatchObject(refused);

  const failure = new Error('Postgres is away');
  ends.shift()?.(failure);
  await expect(running.shift()).rejects.toBe(failure);
  running.push(limitSearch(ada, search));
  for (const end of ends) end();
  await expect(Promise.all(running)).resolves.toEqual(['found', 'found', 'found', 'found']);
  expect(searchesAtOnce).toBe(4);
});
