import { randomUUID } from 'node:crypto';
import { createDatabase } from '@expert-relay/db/prisma';
import { createTestDatabase } from '@expert-relay/db/testing';
import { createLog } from '@expert-relay/kit/log';
import { expect, test } from '@jest/globals';
import { insertKey } from './insert-key.ts';

test('a user who was erased while a session went on gets no key, and no 500 either', async () => {
  const { url, drop } = await createTestDatabase(process.env.DATABASE_URL ?? '');
  const database = createDatabase({ url, poolSize: 1, log: createLog('test', { level: 'silent' }) });
  await database.start?.();
  const key = { userId: randomUUID(), kind: 'consumer', name: 'laptop', callId: randomUUID() } as const;
  await expect(insertKey(database.prisma, key)).rejects.toMatchObject({ code: 'unauthorized' });
  await database.stop?.();
  await drop();
});
