import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { useNotifierDatabase } from '../testing/test-database.ts';
import { type ClaimedNotice, claimForPeople } from './claim-for-people.ts';
import { claimForWebhooks } from './claim-for-webhooks.ts';
import { oneDeliveryParts } from './delivery-parts.ts';
import { recordAttempt } from './record-attempt.ts';

const database = useNotifierDatabase();
const freeSlots = { ofChannels: { push: 16, email: 4, chat: 16 }, busyUsers: [] };
const chat = { url: 'https://chat.example/hook' };
const email = { address: 'ada@example.com', unsubscribeToken: 'token' };
const push = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' }, pushKey: 'k' };

beforeEach(async () => {
  await database.clear();
});

async function newRequest(ofUser = database.userId): Promise<string> {
  const requestId = await database.addRequest(ofUser);
  await database.addFact('new_request', requestId);
  await database.takeAll();
  return requestId;
}

async function newMessage(requestId: string, role: 'consumer' | 'provider'): Promise<void> {
  await database.addFact('new_message', requestId, await database.addMessage(requestId, role));
  await database.takeAll();
}

/** Lets time pass, for all that waits. */
const pass = (seconds: number) =>
  database.pool.query(`
    UPDATE notification_deliveries SET due_at = due_at - interval '${seconds} seconds' WHERE state = 'waiting';
    UPDATE notification_endpoints SET next_due_at = next_due_at - interval '${seconds} seconds',
      sent_at = sent_at - interval '${seconds} seconds'`);

const claim = () => claimForPeople(database, freeSlots);

async function deliver(): Promise<string[]> {
  const notices = await claim();
  for (const notice of notices) await recordAttempt(database.query, notice, { durationMs: 1 });
  return notices.flatMap(({ deliveries }) => deliveries.map(({ type }) => type));
}

async function states(): Promise<string[]> {
  const rows = await database.query<{ text: string }>`
    SELECT type || ' ' || state AS text FROM notification_deliveries ORDER BY event_at, type`;
  return rows.map(({ text }) => text);
}

const secondsToNext = async (): Promise<number> => {
  const [row] = await database.query<{ seconds: number }>`
    SELECT round(extract(epoch FROM min(next_due_at) - now()))::int AS seconds FROM notification_endpoints`;
  return row?.seconds ?? Number.NaN;
};

describe('a channel with a delay', () => {
  test('is used when the expert has not answered in this time', async () => {
    await database.addChannel('chat', chat, { delaySeconds: 300 });
    await newRequest();
    expect(await claim()).toEqual([]);
    expect(await secondsToNext()).toBeGreaterThan(200);
    await pass(301);
    expect(await deliver()).toEqual(['request.created']);
  });

  test.each([
    ['an answer', (requestId: string) => newMessage(requestId, 'provider')],
    [
      'a close',
      (id: string) =>
        database.query`UPDATE help_requests SET status = 'closed', ended_at = now() WHERE id = ${id}`,
    ],
    [
      'its expiry, also before it is recorded',
      (id: string) =>
        database.query`UPDATE help_requests SET expires_at = now() - interval '1 second' WHERE id = ${id}`,
    ],
    [
      'a snooze',
      (id: string) =>
        database.query`UPDATE help_requests SET snoozed_until = now() + interval '1 hour' WHERE id = ${id}`,
    ],
    ['a settle', (id: string) => database.query`UPDATE help_requests SET turn = 'consumer' WHERE id = ${id}`],
    ['its purge', (id: string) => database.query`DELETE FROM help_requests WHERE id = ${id}`],
  ])('is not used after %s', async (_, end) => {
    await database.addChannel('push', push, { delaySeconds: 300 });
    const requestId = await newRequest();
    await end(requestId);
    await pass(301);
    expect(await deliver()).toEqual([]);
    expect(await states()).toEqual(['request.created cancelled']);
  });

  test('is used for what the agent wrote after the answer, its whole delay later', async () => {
    await database.addChannel('push', push, { delaySeconds: 300 });
    const requestId = await newRequest();
    await newMessage(requestId, 'provider');
    await pass(200);
    await newMessage(requestId, 'consumer');
    await pass(200);
    expect(await deliver()).toEqual([]);
    await pass(101);
    expect(await deliver()).toEqual(['message.created']);
  });

  test('is used after a snooze that is over', async () => {
    await database.addChannel('push', push, { delaySeconds: 300 });
    const requestId = await newRequest();
    await database.query`UPDATE help_requests SET snoozed_until = now() WHERE id = ${requestId}`;
    await pass(301);
    expect(await deliver()).toEqual(['request.created']);
  });

  test('has at most one delivery of a request waiting', async () => {
    await database.addChannel('push', push, { delaySeconds: 300 });
    const requestId = await newRequest();
    await newMessage(requestId, 'consumer');
    await newMessage(requestId, 'consumer');
    expect(await states()).toEqual(['request.created waiting']);
    await pass(301);
    await deliver();
    await newMessage(requestId, 'consumer');
    expect(await states()).toEqual(['request.created delivered', 'message.created waiting']);
  });

  test('has one waiting, also when a request and its messages are taken together', async () => {
    await database.addChannel('push', push, { delaySeconds: 300 });
    const requestId = await database.addRequest();
    await database.addFact('new_request', requestId);
    for (let count = 0; count < 2; count++)
      await database.addFact('new_message', requestId, await database.addMessage(requestId, 'consumer'));
    expect(await database.takeAll()).toBe(1);
    expect(await states()).toEqual(['request.created waiting']);
  });
});

test('an email holds what becomes due within a minute, and the next one comes later', async () => {
  await database.addChannel('email', email);
  await newRequest();
  await pass(50);
  await newRequest();
  await pass(5);
  expect(await claim()).toEqual([]);
  await pass(6);
  const [notice, ...others] = await claim();
  expect(others).toEqual([]);
  expect(notice?.deliveries).toHaveLength(2);
  await newRequest();
  // One email at a time.
  await pass(61);
  expect(await claim()).toEqual([]);
  if (notice) await recordAttempt(database.query, notice, { durationMs: 1 });
  expect(await deliver()).toEqual(['request.created']);
});

test('a failed email is repeated after its pause, and not together with the next one before it', async () => {
  await database.addChannel('email', email);
  await newRequest();
  await pass(61);
  const [notice] = await claim();
  if (notice) await recordAttempt(database.query, notice, { reason: 'timed_out', durationMs: 1 });
  expect(await claim()).toEqual([]);
  expect(await states()).toEqual(['request.created waiting']);
  await pass(6);
  expect(await deliver()).toEqual(['request.created']);
});

test.each([
  [
    'failed',
    async (notice: ClaimedNotice) => {
      await recordAttempt(database.query, notice, { reason: 'broken_off', durationMs: 1 });
      await pass(6);
    },
  ],
  [
    'lost its process',
    () =>
      database.pool.query(`
    UPDATE notification_deliveries SET due_at = now() WHERE state = 'sending';
    UPDATE notification_endpoints SET next_due_at = now()`),
  ],
] as const)(
  'an email that %s is repeated as the same email, with nothing new and without what is answered',
  async (_, end) => {
    await database.addChannel('email', email);
    const answered = await newRequest();
    const [second, third] = [await newRequest(), await newRequest()];
    await pass(61);
    const [first] = await claim();
    if (!first) throw new Error('no email is sent');
    expect(first.deliveries.map(({ requestId }) => requestId)).toEqual([answered, second, third]);
    const newer = await newRequest();
    await pass(50);
    await newMessage(answered, 'provider');
    await end(first);
    const repeated = await claim();
    expect(repeated.map(({ id }) => id)).toEqual([first.id]);
    expect(repeated[0]?.deliveries.map(({ requestId }) => requestId)).toEqual([second, third]);
    await recordAttempt(database.query, first, { durationMs: 1 });
    // What is new comes in an email of its own, a minute later.
    expect(await claim()).toEqual([]);
    expect(await secondsToNext()).toBeGreaterThan(50);
    await pass(61);
    const [next] = await claim();
    expect(next?.deliveries.map(({ requestId }) => requestId)).toEqual([newer]);
    expect(next?.id).not.toBe(first.id);
  },
);

test('an address gets one email a minute, also when more is due than one email holds', async () => {
  const channel = await database.addChannel('email', email);
  for (let n = 0; n < 51; n++) await database.addFact('new_request', await database.addRequest());
  expect(await database.takeAll()).toBe(51);
  await pass(61);
  expect(await deliver()).toHaveLength(50);
  expect(await deliver()).toEqual([]);
  expect(await secondsToNext()).toBeGreaterThan(50);
  // What the person asks for comes at once, and alone.
  await database.query`WITH ${oneDeliveryParts({ endpointId: channel, type: 'channel.test', key: 'a' })} SELECT 1`;
  expect(await deliver()).toEqual(['channel.test']);
  await pass(61);
  expect(await deliver()).toEqual(['request.created']);
});

test('one push for each request', async () => {
  await database.addChannel('push', push);
  await newRequest();
  await newRequest();
  expect((await claim()).map(({ deliveries }) => deliveries.length)).toEqual([1, 1]);
});

describe('a chat', () => {
  test('is notified of the first answer to what was announced', async () => {
    await database.addChannel('chat', chat);
    const requestId = await newRequest();
    await pass(2);
    expect(await deliver()).toEqual(['request.created']);
    for (const role of ['provider', 'provider'] as const) await newMessage(requestId, role);
    await pass(2);
    expect(await deliver()).toEqual(['request.answered']);
  });

  test('is not notified of the answer to what was not announced', async () => {
    await database.addChannel('chat', chat, { delaySeconds: 300 });
    await newMessage(await newRequest(), 'provider');
    await pass(2);
    expect(await deliver()).toEqual([]);
    await pass(300);
    expect(await deliver()).toEqual([]);
    expect(await states()).toEqual(['request.created cancelled', 'request.answered cancelled']);
  });
});

describe('a person', () => {
  test.each([
    [
      'has paused',
      "INSERT INTO notification_settings (user_id, paused_until) SELECT id, now() + interval '1 hour' FROM users",
    ],
    [
      'has quiet hours',
      "INSERT INTO notification_settings (user_id, quiet_from, quiet_to, time_zone) SELECT id, to_char(now() - interval '1 hour', 'HH24:MI'), to_char(now() + interval '1 hour', 'HH24:MI'), 'UTC' FROM users",
    ],
  ])('who %s is notified afterwards, if that is still needed; a test comes at once', async (_, set) => {
    const channel = await database.addChannel('push', push);
    await database.pool.query(set);
    const answered = await newRequest();
    await newRequest();
    expect(await claim()).toEqual([]);
    expect(await secondsToNext()).toBeGreaterThan(3_400);
    await database.addDeliveries(channel, 1);
    await database.pool.query(
      "UPDATE notification_deliveries SET type = 'channel.test' WHERE type = 'webhook.test'",
    );
    expect(await deliver()).toEqual(['channel.test']);
    await newMessage(answered, 'provider');
    await database.pool.query(
      'DELETE FROM notification_settings; UPDATE notification_endpoints SET next_due_at = now()',
    );
    expect(await deliver()).toEqual(['request.created']);
  });

  test('has at most four notices under way, and leaves slots to others', async () => {
    for (let n = 0; n < 6; n++) {
      await database.addChannel('chat', { url: `https://chat.example/${n}` });
    }
    await newRequest();
    await pass(2);
    expect(await claim()).toHaveLength(4);
    expect(await claimForPeople(database, { ...freeSlots, busyUsers: [database.userId] })).toEqual([]);
    expect(await claim()).toHaveLength(2);
  });

  test('is shown the question only if that is wanted, and by a browser whose session lasts', async () => {
    const hidden = await database.addChannel('chat', chat);
    const shown = await database.addChannel(
      'chat',
      { url: 'https://chat.example/2' },
      { showQuestion: true },
    );
    const browser = await database.addChannel('push', push, { showQuestion: true });
    await database.query`
      UPDATE notification_endpoints SET session_ends_at = now() + interval '1 hour' WHERE id = ${browser}::uuid`;
    const questions = async () => {
      await newRequest();
      await database.query`UPDATE help_requests SET question = 'May I?'`;
      await pass(2);
      const notices = await claim();
      for (const notice of notices) await recordAttempt(database.query, notice, { durationMs: 1 });
      const of = (id: string) =>
        notices.find(({ endpointId }) => endpointId === id)?.deliveries.map(({ question }) => question);
      return [of(hidden), of(shown), of(browser)];
    };
    expect(await questions()).toEqual([[null], ['May I?'], ['May I?']]);
    await database.query`UPDATE notification_endpoints SET session_ends_at = now()`;
    expect(await questions()).toEqual([[null], ['May I?'], [null]]);
  });
});

test('an email address that is not confirmed gets only its confirmation', async () => {
  const channel = await database.addChannel('email', email);
  await database.query`UPDATE notification_endpoints SET confirmed_at = NULL`;
  await newRequest();
  await database.addDeliveries(channel, 2);
  await database.pool.query(
    "UPDATE notification_deliveries SET type = 'channel.confirm' WHERE id = (SELECT min(id) FROM notification_deliveries)",
  );
  expect(await deliver()).toEqual(['channel.confirm']);
  expect(await states()).toEqual(['channel.confirm delivered', 'webhook.test cancelled']);
});

const addressRefused = { ends: 'deliveries', isAddressRefused: true } as const;

test.each([
  ['three refusals of an address switch it off', addressRefused, true, [false, false, true]],
  ['refusals of all addresses switch none off', addressRefused, false, [false, false, false, false]],
  ['emails that are refused switch nothing off', { ends: 'deliveries' }, true, [false, false, false, false]],
  ['an address that does not exist any more is off at once', { ends: 'endpoint' }, false, [true]],
] as const)('%s', async (_, failure, isOtherAccepted, expected) => {
  const channel = await database.addChannel('email', email);
  const other = await database.addUser();
  await database.addChannel('email', { ...email, address: 'bob@example.com' }, { ofUser: other });
  const off: (boolean | undefined)[] = [];
  for (const _attempt of expected) {
    await newRequest();
    await newRequest();
    await newRequest(other);
    await pass(61);
    for (const notice of await claim()) {
      const isRefused = notice.endpointId === channel || !isOtherAccepted;
      const result = isRefused ? ({ reason: 'refused', statusCode: 550, ...failure } as const) : {};
      const recorded = await recordAttempt(database.query, notice, { ...result, durationMs: 1 });
      if (notice.endpointId === channel) off.push(recorded?.isOff);
    }
  }
  expect(off).toEqual(expected);
  const failed = await database.query`
    SELECT DISTINCT state::text AS state FROM notification_deliveries WHERE endpoint_id = ${channel}::uuid`;
  expect(failed).toEqual([{ state: 'failed' }]);
});

test.each([
  ['a server that is away switches no address off', false],
  ['an address that fails while others are accepted is off', true],
])('ten failures of an email address in five days: %s', async (_, isOtherAccepted) => {
  const channel = await database.addChannel('email', email);
  const other = await database.addUser();
  await database.addChannel('email', { ...email, address: 'bob@example.com' }, { ofUser: other });
  await newRequest();
  await newRequest(other);
  await database.query`
    UPDATE notification_endpoints SET failures = 9, failing_since = now() - interval '5 days 1 minute' WHERE id = ${channel}::uuid`;
  await pass(61);
  const notices = await claim();
  // That of the other first.
  notices.sort((one) => (one.endpointId === channel ? 1 : -1));
  const results: (boolean | undefined)[] = [];
  for (const notice of notices) {
    const isAccepted = notice.endpointId !== channel && isOtherAccepted;
    const result = isAccepted ? {} : ({ reason: 'not_reachable' } as const);
    results.push((await recordAttempt(database.query, notice, { ...result, durationMs: 1 }))?.isOff);
  }
  expect(results).toEqual([false, isOtherAccepted]);
});

describe('an endpoint that is switched off', () => {
  const failed = { reason: 'refused', statusCode: 410, durationMs: 1 } as const;

  /** Lets an attempt to an endpoint end so that it is switched off. */
  async function switchOff(endpointId: string): Promise<void> {
    await database.addDeliveries(endpointId, 1);
    const id = `msg_${createHash('md5').update(`${endpointId}1`).digest('hex')}`;
    await database.query`UPDATE notification_deliveries SET state = 'sending', attempts = 1 WHERE id = ${id}`;
    const attempt = { endpointId, deliveries: [{ id, attempt: 1 }] };
    expect(await recordAttempt(database.query, attempt, { ...failed, ends: 'endpoint' })).toMatchObject({
      isOff: true,
    });
  }

  test('is reported to the confirmed email addresses of its user, once, together with others', async () => {
    const address = await database.addChannel('email', email);
    await database.addChannel('email', { ...email, address: 'unconfirmed@example.com' });
    await database.query`UPDATE notification_endpoints SET confirmed_at = NULL WHERE id <> ${address}::uuid`;
    const webhook = await database.addEndpoint({ of: 'key' });
    const team = await database.addChannel('chat', chat);
    // They are listed in the order of their creation, which is known to the millisecond.
    await database.query`
      UPDATE notification_endpoints SET label = 'team', created_at = created_at + interval '1 second' WHERE id = ${team}::uuid`;
    for (const id of [webhook, team]) await switchOff(id);
    expect(await claim()).toEqual([]);
    await pass(61);
    const notices = await claim();
    expect(notices.map(({ endpointId }) => endpointId)).toEqual([address]);
    expect(notices[0]?.deliveries[0]).toMatchObject({
      type: 'endpoint.off',
      endpointsOff: [
        { channel: 'webhook', name: 'a key', reason: 'gone' },
        { channel: 'chat', name: 'team', reason: 'gone' },
      ],
    });
    for (const notice of notices) await recordAttempt(database.query, notice, { durationMs: 1 });
    await pass(3_600);
    expect(await claim()).toEqual([]);
  });

  test('is reported again when it was switched on and off again', async () => {
    await database.addChannel('email', email);
    const webhook = await database.addEndpoint({ of: 'user' });
    await switchOff(webhook);
    await database.query`
      UPDATE notification_endpoints SET enabled_at = now(), off_reason = NULL WHERE id = ${webhook}::uuid`;
    await database.query`DELETE FROM notification_deliveries WHERE endpoint_id = ${webhook}::uuid`;
    await pass(61);
    expect(await deliver()).toEqual([]);
    await switchOff(webhook);
    await pass(61);
    expect(await deliver()).toEqual(['endpoint.off']);
    expect(await states()).toContain('endpoint.off cancelled');
  });

  test.each([
    ['to itself', 'email', email],
    ['if its push service has ended the subscription', 'push', push],
  ] as const)('is not reported %s', async (_, channel, target) => {
    if (channel === 'push') await database.addChannel('email', email);
    await switchOff(await database.addChannel(channel, target));
    await pass(61);
    expect(await claim()).toEqual([]);
  });
});

test('the deliveries to people and to webhooks are claimed apart', async () => {
  await database.addChannel('push', push);
  const webhook = await database.addEndpoint({ of: 'user' });
  await newRequest();
  const claimed = await claimForWebhooks(database, {
    healthy: 48,
    slow: 16,
    busyUsers: { healthy: [], slow: [] },
  });
  expect(claimed.map(({ endpointId }) => endpointId)).toEqual([webhook]);
  expect(await deliver()).toEqual(['request.created']);
});
