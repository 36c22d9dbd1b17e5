import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { oneDeliveryParts } from '../deliveries/delivery-parts.ts';
import { sendTest } from '../deliveries/send-now.ts';
import { endpointKeys, useNotifierDatabase } from '../testing/test-database.ts';
import { channelsOf, createChannels } from './channels.ts';
import { createConfirmations } from './confirmations.ts';
import { resealTargets } from './reseal.ts';
import { createTargetSealer } from './seal.ts';
import { createWebhooks } from './webhooks.ts';

const database = useNotifierDatabase();
let session: { userId: string; sessionId: string; begunAt: number; endsAt: number };
/** The key under which the endpoints of the test database are encrypted is lost. */
const otherKey = { id: 'k2', secret: Buffer.alloc(32, 9) };
const sealer = createTargetSealer([otherKey]);
const email = { address: 'ada@example.com', unsubscribeToken: 'token' };
const keys = { p256dh: 'p', auth: 'a' };
const newest = { label: undefined, delaySeconds: undefined, showQuestion: undefined };

const parts = () => {
  const confirmations = createConfirmations({ sealer, deliveryParts: oneDeliveryParts });
  return {
    channels: createChannels({ database, sealer, confirmations, pushKeys: ['k'], canEmail: true }),
    webhooks: createWebhooks({ database, sealer }),
  };
};

beforeAll(() => {
  session = {
    userId: database.userId,
    sessionId: randomUUID(),
    begunAt: Date.now(),
    endsAt: Date.now() + 3_600_000,
  };
});
beforeEach(async () => {
  await database.query`DELETE FROM notification_endpoints`;
});

/** The order of two that were added in the same millisecond is that of their random ids. */
const apart = <Row extends { id: string }>(rows: readonly Row[], id: string) => ({
  unreadable: rows.find((row) => row.id === id),
  others: rows.filter((row) => row.id !== id),
});

describe('a channel whose key is lost', () => {
  test('is listed as unreadable and without its address, beside the others, and can be deleted', async () => {
    const { channels } = parts();
    const lost = await database.addChannel('email', email);
    const added = await channels.insert(session, randomUUID(), {
      kind: 'chat',
      target: { url: 'https://chat.example/hook' },
      ...newest,
    });
    const { unreadable, others } = apart(await channels.list(session), lost);
    expect(unreadable).toMatchObject({ kind: 'email', enabled: false, offReason: 'unreadable' });
    expect(unreadable).not.toHaveProperty('address');
    expect(others).toEqual([added]);
    await channels.delete(database.userId, lost);
    expect(await channels.list(session)).toEqual([added]);
  });

  test('does not hinder its owner to add the same address again', async () => {
    const { channels } = parts();
    await database.addChannel('email', email);
    const { address } = email;
    const again = await channels.insert(session, randomUUID(), {
      kind: 'email',
      target: { address },
      ...newest,
    });
    expect(again).toMatchObject({ address, enabled: true, confirmed: false });
    expect(await channels.list(session)).toHaveLength(2);
  });

  test('works again when its browser registers the same subscription', async () => {
    const { channels } = parts();
    const target = { endpoint: 'https://push.example/1', keys, pushKey: 'k' };
    const lost = await database.addChannel('push', target);
    await database.query`
      UPDATE notification_endpoints SET target_digest = sha256(convert_to(${target.endpoint}, 'UTF8'))`;
    const again = await channels.insert(session, randomUUID(), { kind: 'push', target, ...newest });
    expect(again).toMatchObject({ id: lost, address: 'push.example', enabled: true });
    expect(await channels.list(session)).toEqual([again]);
  });

  test('can be changed, and gets no tests, confirmations and links', async () => {
    const { channels } = parts();
    const { userId } = database;
    const id = await database.addChannel('email', email);
    await database.query`UPDATE notification_endpoints SET confirmed_at = NULL`;
    expect(await channels.change(session, id, { label: 'old', enabled: true })).toMatchObject({
      label: 'old',
      enabled: false,
      offReason: 'unreadable',
    });
    await expect(channels.sendConfirmation(userId, id, randomUUID())).rejects.toMatchObject({
      code: 'channel_off',
    });
    await expect(channels.confirm(session, id, 'x')).rejects.toMatchObject({ code: 'confirmation_invalid' });
    await expect(channels.unsubscribe(id, 'token')).rejects.toMatchObject({ code: 'not_found' });
    await database.query`UPDATE notification_endpoints SET confirmed_at = now()`;
    const used = { endpointId: id, userId, isOwn: channelsOf(userId), off: 'channel_off' as const };
    const test = {
      type: 'channel.test' as const,
      callId: randomUUID(),
      count: () => ({ left: 1, endsInMs: 1 }),
    };
    await expect(sendTest(database.query, { ...used, ...test, sealer })).rejects.toMatchObject({
      code: 'channel_off',
    });
  });
});

test('a webhook whose key is lost is listed as unreadable, cannot be changed, and can be deleted', async () => {
  const { webhooks } = parts();
  const party = {
    kind: 'provider',
    userId: database.userId,
    apiKeyId: randomUUID(),
    secret: { createdAt: 0 },
  } as const;
  const lost = await database.addEndpoint({ of: 'user' });
  const { secret, ...added } = await webhooks.insert(party, {
    id: randomUUID(),
    url: 'https://example.com/new',
  });
  const { unreadable, others } = apart(await webhooks.list(party), lost);
  expect(unreadable).toMatchObject({ enabled: false, offReason: 'unreadable' });
  expect(unreadable).not.toHaveProperty('url');
  expect(others).toEqual([added]);
  for (const change of [
    webhooks.change(party, lost, { enabled: true }),
    webhooks.rotate(party, lost, { callId: randomUUID(), graceSeconds: 0 }),
  ])
    await expect(change).rejects.toMatchObject({ code: 'webhook_off' });
  await webhooks.delete(party, lost);
  expect(await webhooks.list(party)).toEqual([added]);
});

test('an endpoint whose bytes were changed does not keep the others from being encrypted again', async () => {
  const [broken] = [await database.addEndpoint({ of: 'user' }), await database.addEndpoint({ of: 'user' })];
  await database.query`
    UPDATE notification_endpoints SET sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) WHERE id = ${broken}::uuid`;
  const both = createTargetSealer([otherKey, ...endpointKeys]);
  expect(await resealTargets(database.query, both)).toEqual({ left: 1, unreadable: 0 });
});
