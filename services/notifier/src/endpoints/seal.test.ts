import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { endpointKeys, openNotifierDatabase } from '../testing/test-database.ts';
import { resealTargets } from './reseal.ts';
import { createTargetSealer } from './seal.ts';

const target = { url: 'https://example.com/?token=secret', secret: 'whsec_c2VjcmV0' };
const newKey = { id: 'k2', secret: Buffer.alloc(32, 9) };

test('a target is opened with its key and its id only', () => {
  const sealer = createTargetSealer(endpointKeys);
  const [id, other] = [randomUUID(), randomUUID()];
  const sealed = sealer.seal(id, target);
  expect(sealer.open(id, sealed)).toEqual(target);
  expect(sealed.sealed.includes('secret')).toBe(false);
  expect(sealer.seal(id, target).sealed.equals(sealed.sealed)).toBe(false);
  expect(() => sealer.open(other, sealed)).toThrow();
  const changed = Buffer.from(sealed.sealed);
  changed[20] = (changed[20] ?? 0) ^ 1;
  expect(() => sealer.open(id, { ...sealed, sealed: changed })).toThrow();
  expect(() => sealer.open(id, { ...sealed, sealed: sealed.sealed.subarray(0, 20) })).toThrow();
  expect(() => createTargetSealer([newKey]).open(id, sealed)).toThrow('k1 is not in RELAY_ENDPOINT_KEYS');
});

test('after a rotation of the key, all targets are encrypted again, and then the old key is not needed', async () => {
  await using database = await openNotifierDatabase();
  const { query } = database;
  for (let n = 0; n < 60; n++) await database.addEndpoint({ of: 'user' });
  const both = createTargetSealer([newKey, ...endpointKeys]);
  expect(await resealTargets(query, createTargetSealer([newKey]))).toEqual({ left: 0, unreadable: 60 });
  expect(await resealTargets(query, both)).toEqual({ left: 10, unreadable: 0 });
  expect(await resealTargets(query, both)).toEqual({ left: 0, unreadable: 0 });
  const onlyNew = createTargetSealer([newKey]);
  const rows = await query<{ id: string; sealingKeyId: string; sealed: Buffer }>`
    SELECT id, sealing_key_id AS "sealingKeyId", sealed FROM notification_endpoints`;
  for (const { id, ...sealed } of rows)
    expect(onlyNew.open<'webhook'>(id, sealed).url).toBe('https://example.com/');
});
