import { randomUUID } from 'node:crypto';
import { makeRefCode, makeRequestId } from '@expert-relay/db';
import { type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { makeApiKey } from '@expert-relay/kit/api-key';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createUser } from '../admin/create-user.ts';
import { insertKeys, maxKeys } from './insert-keys.ts';
import { formatKeyCursor, type KeyCursor, parseKeyCursor, readKeys } from './read-keys.ts';
import { deleteOldestRevoked, revokeKey } from './revoke-key.ts';

let database: OpenDatabase;
let prisma: OpenDatabase['prisma'];
let userId: string;

beforeAll(async () => {
  database = await openTestDatabase();
  prisma = database.prisma;
});
afterAll(() => database.stop());
beforeEach(async () => {
  ({ id: userId } = await prisma.user.create({ data: { name: 'ada' } }));
});

type Given = { kind?: 'consumer' | 'provider'; callId?: string };
const create = ({ kind = 'consumer', callId = randomUUID() }: Given = {}) =>
  insertKeys(prisma, [{ userId, kind, name: 'laptop', callId }]);
const liveKeys = () => prisma.apiKey.count({ where: { userId, revokedAt: null } });

/** Inserts keys with their secrets; the first one was revoked `firstMinutesAgo` ago, and each other one a second later. */
async function addKeys(count: number, { isRevoked = false, firstMinutesAgo = 60 } = {}): Promise<string[]> {
  const digests = Array.from({ length: count }, () => makeApiKey('consumer').digest);
  const rows = await database.query<{ id: string }>`
    WITH created AS (
      INSERT INTO api_keys (user_id, kind, name, last_four, call_id, revoked_at)
      SELECT ${userId}::uuid, 'consumer', 'old', 'abcd', gen_random_uuid(), CASE WHEN ${isRevoked}
        THEN now() - ${firstMinutesAgo}::int * interval '1 minute' + number * interval '1 second' END
      FROM generate_series(1, ${count}::int) AS number
      RETURNING id, revoked_at
    ),
    numbered AS (SELECT id, row_number() OVER (ORDER BY revoked_at, id) AS number FROM created),
    secrets AS (
      INSERT INTO api_key_secrets (secret_digest, api_key_id, call_id)
      SELECT digest, id, gen_random_uuid()
      FROM numbered JOIN unnest(${digests}::bytea[]) WITH ORDINALITY AS given (digest, number) USING (number)
    )
    SELECT id FROM numbered ORDER BY number`;
  return rows.map(({ id }) => id);
}

describe('the keys of a user that are not revoked', () => {
  test('are at most 100, of both kinds together; revoked ones do not count', async () => {
    expect(maxKeys).toBe(100);
    await addKeys(98);
    await addKeys(5, { isRevoked: true });
    const [key] = await create({ kind: 'provider' });
    await create();
    for (const kind of ['consumer', 'provider'] as const)
      await expect(create({ kind })).rejects.toMatchObject({ code: 'too_many_keys', status: 409 });
    await revokeKey(prisma, { keyId: key?.view.id ?? '', userId });
    await create();
    await expect(create()).rejects.toMatchObject({ code: 'too_many_keys' });
  });

  test('are at most 100 when twenty are created at once', async () => {
    await addKeys(95);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => create()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await liveKeys()).toBe(100);
  });

  test('include the key of a repeated call, which gets a new secret', async () => {
    await addKeys(99);
    const callId = randomUUID();
    const [first] = await create({ callId });
    const [again] = await create({ callId });
    expect(again?.view.id).toBe(first?.view.id);
    expect(await liveKeys()).toBe(100);
  });

  test('are limited for the admin command too, which creates all keys or none', async () => {
    const identity = { name: 'ada', provider: 'admin', subject: randomUUID() };
    ({ userId } = await createUser(prisma, { ...identity, keys: [] }));
    await addKeys(98);
    const keys = ['consumer', 'provider', 'consumer'] as const;
    await expect(createUser(prisma, { ...identity, keys })).rejects.toThrow(
      'A user has at most 100 keys that are not revoked',
    );
    expect(await liveKeys()).toBe(98);
    expect((await createUser(prisma, { ...identity, keys: ['consumer', 'provider'] })).keys).toHaveLength(2);
  });

  test('cannot be created by a session of a user who was erased: 401', async () => {
    userId = randomUUID();
    await expect(create()).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('revoked keys', () => {
  const idsLeft = async () =>
    new Set((await prisma.apiKey.findMany({ where: { userId }, select: { id: true } })).map(({ id }) => id));

  test('are kept up to 1,000, and the ones revoked first are deleted with their secrets', async () => {
    const live = await addKeys(2);
    const revoked = await addKeys(1_010, { isRevoked: true });
    await deleteOldestRevoked(database.query, userId);
    expect(await idsLeft()).toEqual(new Set([...live, ...revoked.slice(10)]));
    expect(await prisma.apiKeySecret.count({ where: { apiKey: { userId } } })).toBe(1_002);
    await deleteOldestRevoked(database.query, userId);
    expect((await idsLeft()).size).toBe(1_002);
  });

  test('stay while they have requests, and for ten minutes', async () => {
    const [withRequest = '', without = ''] = await addKeys(2, { isRevoked: true, firstMinutesAgo: 300 });
    await addKeys(1_000, { isRevoked: true, firstMinutesAgo: 60 });
    const id = makeRequestId();
    await prisma.helpRequest.create({
      data: {
        id,
        refCode: makeRefCode(),
        userId,
        consumerKeyId: withRequest,
        context: [],
        callId: randomUUID(),
        expiresAt: new Date(Date.now() + 60_000),
      },
    });
    await deleteOldestRevoked(database.query, userId);
    const left = await idsLeft();
    expect([left.has(withRequest), left.has(without), left.size]).toEqual([true, false, 1_001]);
    expect(await prisma.helpRequest.count({ where: { id } })).toBe(1);

    await prisma.apiKey.updateMany({ where: { userId }, data: { revokedAt: new Date() } });
    await addKeys(50, { isRevoked: true, firstMinutesAgo: 1 });
    await deleteOldestRevoked(database.query, userId);
    expect((await idsLeft()).size).toBe(1_051);
  });

  test('of another user stay', async () => {
    await addKeys(1_010, { isRevoked: true });
    const first = await idsLeft();
    const other = await prisma.user.create({ data: { name: 'bob' } });
    await deleteOldestRevoked(database.query, other.id);
    expect(await idsLeft()).toEqual(first);
  });
});

test('pages contain each key once: those that are not revoked first, each newest first', async () => {
  const live = await addKeys(6);
  const revoked = await addKeys(7, { isRevoked: true });
  const seen: { id: string; revokedAt: string | null; createdAt: string }[] = [];
  for (let after: KeyCursor | undefined; ; ) {
    const page = await readKeys(database.query, userId, { after, limit: 4 });
    seen.push(...page.slice(0, 4));
    const last = seen.at(-1);
    if (page.length < 5 || !last) break;
    after = parseKeyCursor(formatKeyCursor(last as never));
    expect(after).toBeDefined();
  }
  expect(seen.slice(0, 6).every(({ revokedAt }) => revokedAt === null)).toBe(true);
  expect(new Set(seen.slice(0, 6).map(({ id }) => id))).toEqual(new Set(live));
  expect(new Set(seen.slice(6).map(({ id }) => id))).toEqual(new Set(revoked));
  expect(seen).toHaveLength(13);
});
