import { randomUUID } from 'node:crypto';
import { openTestDatabase } from '@expert-relay/db/testing';
import { expect, test } from '@jest/globals';
import { insertKey } from './insert-key.ts';

test('a user who was erased while a session went on gets no key, and no 500 either', async () => {
  const database = await openTestDatabase();
  const key = { userId: randomUUID(), kind: 'consumer', name: 'laptop', callId: randomUUID() } as const;
  await expect(insertKey(database.prisma, key)).rejects.toMatchObject({ code: 'unauthorized' });
  await database.stop();
});
