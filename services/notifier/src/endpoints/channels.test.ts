import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { insertOneDelivery } from '../deliveries/insert-deliveries.ts';
import { endpointKey, openNotifierDatabase, type TestDatabase } from '../testing/test-database.ts';
import { type ChannelChange, type Channels, createChannels } from './channels.ts';
import { createConfirmations } from './confirmations.ts';
import { createTargetSealer } from './seal.ts';

let database: TestDatabase;
let channels: Channels;
const sealer = createTargetSealer(endpointKey);

beforeAll(async () => {
  database = await openNotifierDatabase();
  const confirmations = createConfirmations({ sealer, insertDelivery: insertOneDelivery });
  channels = createChannels({ database, sealer, confirmations, pushKeys: [], canMail: true });
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

const change = (id: string, changed: ChannelChange) => channels.change(database.userId, id, changed);
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
    channels.insert({ userId, sessionId: randomUUID() }, randomUUID(), {
      kind: 'mail',
      target: { address },
      label: undefined,
      delaySeconds: undefined,
      showQuestion: undefined,
    });
  const accepted = async (calls: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;
  expect(await accepted(others.map((userId) => add(userId, 'one@example.com')))).toBe(3);

  const own = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      database.addChannel('mail', { address: `${index}@example.com`, unsubscribeToken: 'x' }),
    ),
  );
  await database.query`UPDATE notification_endpoints SET confirmed_at = NULL WHERE id = ANY(${own}::uuid[])`;
  const sendAgain = (id: string) => channels.sendConfirmation(database.userId, id, randomUUID());
  expect(await accepted(own.map(sendAgain))).toBe(3);
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
    channels.insert({ userId, sessionId: randomUUID() }, randomUUID(), {
      kind: 'chat',
      target: { url: `https://chat.example/${path}` },
      label,
      delaySeconds: undefined,
      showQuestion: undefined,
    });
  const added = await Promise.allSettled(Array.from({ length: 52 }, (_, index) => add(String(index))));
  const made = added.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  expect(made).toHaveLength(50);
  const { id } = await add('0', 'again');
  expect(made.map((one) => one.id)).toContain(id);
  await expect(add('51')).rejects.toMatchObject({ code: 'too_many_channels' });
  expect(await channels.list(userId)).toHaveLength(50);
});
