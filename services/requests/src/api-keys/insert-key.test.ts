import { randomUUID } from 'node:crypto';
import { openTestDatabase } from '@expert-relay/db/testing';
import { expect, test } from '@jest/globals';
import { insertKey } from './insert-key.ts';

test('a session of a user who was erased creates no key: 401', async () => {
  const database = await openTestDatabase();
  const key = { userId: randomUUID(), kind: 'consumer', name: 'laptop', callId: randomUUID() } as const;
  await expect(insertKey(database.prisma, key)).rejects.toMatchObject({ code: 'unauthorized' });
  await database.stop();
});
