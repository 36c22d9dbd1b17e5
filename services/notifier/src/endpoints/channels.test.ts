import { randomUUID } from 'node:crypto';
import { credentialRevokedEvent } from '@expert-relay/contracts';
import { eventParts, sql } from '@expert-relay/db';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { oneDeliveryParts } from '../deliveries/delivery-parts.ts';
import { endpointKeys, useNotifierDatabase } from '../testing/test-database.ts';
import { type ChannelChange, type Channels, createChannels } from './channels.ts';
import { createConfirmations, deleteOldStopLinks } from './confirmations.ts';
import { createTargetSealer, type Sealed } from './seal.ts';

const database = useNotifierDatabase();
let channels: Channels;
const sealer = createTargetSealer(endpointKeys);
const sessionOf = (userId: string) => {
  const begunAt = Date.now();
  return { userId, sessionId: randomUUID(), begunAt, endsAt: begunAt + 3_600_000 };
};

beforeAll(() => {
  const confirmations = createConfirmations({ sealer, deliveryParts: oneDeliveryParts });
  channels = createChannels({ database, sealer, confirmations, pushKeys: ['k'], canEmail: true });
});

const change = (id: string, changed: ChannelChange) =>
  channels.change(sessionOf(database.userId), id, changed);
const stateOf = async (id: string) => {
  const [row] = await database.query<{ state: string }>`
    SELECT state::text AS state FROM notification_deliveries WHERE endpoint_id = ${id}::uuid`;
  return row?.state;
};

test.each<[string, ChannelChange]>([
  ['nothing', {}],
  ['null', { label: null, enabled: null, delaySeconds: null, showQuestion: null }],
])(
  'a change to %s keeps what is set, whether the channel is on or off, and what waits',
  async (_, changed) => {
    const target = { url: `https://chat.example/${randomUUID()}` };
    const id = await database.addChannel('chat', target, { delaySeconds: 30, showQuestion: true });
    await database.addDeliveries(id, 1);
    const on = await change(id, { label: 'team' });
    expect(on).toMatchObject({ label: 'team', enabled: true, delaySeconds: 30, showQuestion: true });
    expect(await change(id, changed)).toEqual(on);
    expect(await stateOf(id)).toBe('waiting');
    const off = await change(id, { enabled: false });
    expect(off).toMatchObject({ enabled: false, offReason: 'owner' });
    expect(await stateOf(id)).toBe('cancelled');
    expect(await change(id, changed)).toEqual(off);
  },
);

test('confirmations that are asked for at the same time are limited, by address and by user', async () => {
  const others = Array.from({ length: 8 }, () => randomUUID());
  await database.query`INSERT INTO users (id, name) SELECT id, 'bob' FROM unnest(${others}::uuid[]) AS id`;
  const add = (userId: string, address: string) =>
    channels.insert(sessionOf(userId), randomUUID(), {
      kind: 'email',
      target: { address },
      label: undefined,
      delaySeconds: undefined,
      showQuestion: undefined,
    });
  const accepted = async (calls: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;
  expect(await accepted(others.map((userId) => add(userId, 'one@example.com')))).toBe(3);
  // All of these are one mailbox.
  const spellings = others.map((userId, index) =>
    add(userId, `Two${'+'.repeat(index)}${index || ''}@example.com`),
  );
  expect(await accepted(spellings)).toBe(3);

  const own = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      database.addChannel('email', { address: `${index}@example.com`, unsubscribeToken: 'x' }),
    ),
  );
  await database.query`UPDATE notification_endpoints SET confirmed_at = NULL WHERE id = ANY(${own}::uuid[])`;
  const sendAgain = (id: string) => channels.sendConfirmation(database.userId, id, randomUUID());
  expect(await accepted(own.map(sendAgain))).toBe(3);
});

describe('emails that were stopped by a link', () => {
  const mailTo = (address: string) => ({
    kind: 'email' as const,
    target: { address },
    label: undefined,
    delaySeconds: undefined,
    showQuestion: undefined,
  });
  const add = (userId: string, address: string, through = channels) =>
    through.insert(sessionOf(userId), randomUUID(), mailTo(address));
  const sent = async () => {
    const [row] = await database.query<{ count: number }>`
      SELECT count(*)::int AS count FROM notification_deliveries WHERE type = 'channel.confirm'`;
    return row?.count;
  };
  const tokenOf = async (id: string) => {
    const [row] = await database.query<Sealed>`
      SELECT sealing_key_id AS "sealingKeyId", sealed FROM notification_endpoints WHERE id = ${id}::uuid`;
    return sealer.open<'email'>(id, row as Sealed);
  };
  beforeEach(() => database.clear());

  test('are not sent again to the address, for any account', async () => {
    const owner = await database.addUser();
    const { id } = await add(owner, 'Eve@example.com');
    const { unsubscribeToken, confirmation } = await tokenOf(id);
    await channels.confirm(sessionOf(owner), id, confirmation?.token ?? '');
    await expect(channels.unsubscribe(id, `${unsubscribeToken}x`)).rejects.toMatchObject({
      code: 'not_found',
    });
    await channels.unsubscribe(id, unsubscribeToken);
    await channels.unsubscribe(id, unsubscribeToken);
    const off = { enabled: false, confirmed: false, offReason: 'unsubscribed' };
    expect(await channels.list(sessionOf(owner))).toMatchObject([off]);

    const stopped = { code: 'emails_stopped' };
    expect(await channels.change(sessionOf(owner), id, { enabled: true })).toMatchObject({
      confirmed: false,
    });
    await expect(channels.sendConfirmation(owner, id, randomUUID())).rejects.toMatchObject(stopped);
    const old = channels.confirm(sessionOf(owner), id, confirmation?.token ?? '');
    await expect(old).rejects.toMatchObject({ code: 'confirmation_invalid' });
    await channels.delete(owner, id);
    await expect(add(owner, 'eve@example.com')).rejects.toMatchObject(stopped);
    await database.query`DELETE FROM users WHERE id = ${owner}::uuid`;
    await expect(add(database.userId, 'eve@example.com')).rejects.toMatchObject(stopped);
    const rotated = createTargetSealer([{ id: 'k2', secret: Buffer.alloc(32, 8) }]);
    const confirmations = createConfirmations({ sealer: rotated, deliveryParts: oneDeliveryParts });
    const later = createChannels({
      database,
      sealer: rotated,
      confirmations,
      pushKeys: ['k'],
      canEmail: true,
    });
    await expect(add(database.userId, 'EVE@example.com', later)).rejects.toMatchObject(stopped);
    await expect(add(database.userId, 'eve+news@example.com')).rejects.toMatchObject(stopped);
    expect(await sent()).toBe(0);
  });

  test('stay stopped if the channel was deleted before the link was used, or was off', async () => {
    const owner = await database.addUser();
    for (const prepare of [
      (id: string) => channels.delete(owner, id),
      (id: string) => channels.change(sessionOf(owner), id, { enabled: false }),
    ]) {
      const address = `${randomUUID()}@example.com`;
      const { id } = await add(owner, address);
      const { unsubscribeToken } = await tokenOf(id);
      await prepare(id);
      await channels.unsubscribe(id, unsubscribeToken);
      await expect(add(await database.addUser(), address)).rejects.toMatchObject({ code: 'emails_stopped' });
    }
  });

  test('are known by links that work for 90 days after the last email, or for ever once they were used', async () => {
    const links = [
      { token: 'new', age: '89 days', used: false },
      { token: 'old', age: '91 days', used: false },
      { token: 'used', age: '91 days', used: true },
    ];
    for (const { token, age, used } of links) {
      await database.query`
        INSERT INTO notification_stop_links (token_digest, address_digest, sent_at, used_at)
        VALUES (sha256(${token}::text::bytea), 'x', now() - ${age}::interval, CASE WHEN ${used}::boolean THEN now() END)`;
    }
    await deleteOldStopLinks(database.query);
    const stop = (token: string) => channels.unsubscribe(randomUUID(), token);
    await stop('new');
    await expect(stop('old')).rejects.toMatchObject({ code: 'not_found' });
    await stop('used');
  });

  test('are confirmed again by an account whose sign-in address it is', async () => {
    const owner = await database.addUser();
    await database.query`UPDATE users SET email = 'Carl@example.com' WHERE id = ${owner}::uuid`;
    const { id } = await add(owner, 'carl+relay@example.com');
    await channels.unsubscribe(id, (await tokenOf(id)).unsubscribeToken);
    await channels.sendConfirmation(owner, id, randomUUID());
    expect(await sent()).toBe(2);
    const { confirmation } = await tokenOf(id);
    const again = await channels.confirm(sessionOf(owner), id, confirmation?.token ?? '');
    expect(again).toMatchObject({ enabled: true, confirmed: true });
  });
});

test('changes of different members at the same time are all kept', async () => {
  const id = await database.addChannel('chat', { url: 'https://chat.example/hook' });
  for (let turn = 0; turn < 10; turn++) {
    const [label, delaySeconds, showQuestion, enabled] = [
      `team ${turn}`,
      10 + turn,
      turn % 2 === 0,
      turn % 3 === 0,
    ];
    const changes = [{ label }, { delaySeconds }, { showQuestion }, { enabled }];
    await Promise.all(changes.map((changed) => change(id, changed)));
    expect(await change(id, {})).toMatchObject({ label, delaySeconds, showQuestion, enabled });
  }
});

test('a user has at most fifty, and at the limit one of them can be registered again', async () => {
  const [{ id: userId = '' } = {}] = await database.query<{ id: string }>`
    INSERT INTO users (id, name) VALUES (${randomUUID()}, 'carol') RETURNING id::text AS id`;
  const add = (path: string, label?: string) =>
    channels.insert(sessionOf(userId), randomUUID(), {
      kind: 'chat',
      target: { url: `https://chat.example/${path}` },
      label,
      delaySeconds: undefined,
      showQuestion: undefined,
    });
  // Which two are refused depends on the order in which their connections come.
  const added = await Promise.allSettled(
    Array.from({ length: 52 }, async (_, index) => ({ path: String(index), ...(await add(String(index))) })),
  );
  const made = added.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  expect(made).toHaveLength(50);
  const [first] = made;
  expect(await add(first?.path ?? '', 'again')).toMatchObject({ id: first?.id, label: 'again' });
  await expect(add('new')).rejects.toMatchObject({ code: 'too_many_channels' });
  expect(await channels.list(sessionOf(userId))).toHaveLength(50);
});

describe('a browser', () => {
  const target = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' } };
  const subscribe = (session: ReturnType<typeof sessionOf>) =>
    channels.insert(session, randomUUID(), {
      kind: 'push',
      target,
      label: undefined,
      delaySeconds: undefined,
      showQuestion: undefined,
    });
  beforeEach(() => database.clear());

  test('is one of the session that registered it last', async () => {
    const [first, second] = [sessionOf(database.userId), sessionOf(database.userId)];
    const { id } = await subscribe(first);
    expect(await channels.list(first)).toMatchObject([{ id, ofThisSession: true }]);
    expect(await channels.list(second)).toMatchObject([{ id, ofThisSession: false }]);
    expect(await subscribe(second)).toMatchObject({ id, ofThisSession: true });
    expect(await channels.list(first)).toMatchObject([{ id, ofThisSession: false }]);
  });

  test('is not registered by a session that has ended since the call was authorised', async () => {
    const [ended, open] = [sessionOf(database.userId), sessionOf(database.userId)];
    await database.query`
      WITH ${eventParts({
        ...credentialRevokedEvent({ sessionId: ended.sessionId }),
        from: sql`SELECT ${database.userId}::uuid AS user_id, NULL AS request_id, NULL AS ref_code, 0 AS seq`,
      })} SELECT 1`;
    await expect(subscribe(ended)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await channels.list(open)).toEqual([]);
    await subscribe(open);
  });

  test('is not registered by a session that the operator has ended', async () => {
    const owner = await database.addUser();
    const before = sessionOf(owner);
    await database.query`UPDATE users SET sessions_ended_at = now() WHERE id = ${owner}::uuid`;
    await expect(subscribe(before)).rejects.toMatchObject({ code: 'unauthorized' });
    // Longer than the difference that clocks may have.
    await subscribe({ ...before, begunAt: Date.now() + 60_000 });
  });
});
