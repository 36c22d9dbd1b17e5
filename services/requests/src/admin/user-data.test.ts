import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { EndReason, EventHead } from '@expert-relay/contracts';
import { makeRefCode, makeRequestId } from '@expert-relay/db';
import { type OpenDatabase, openOutbox, openTestDatabase } from '@expert-relay/db/testing';
import { eventually, testServers } from '@expert-relay/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createSignInLink } from '../users/sign-in-link.ts';
import { helpOf, readCommand } from './commands.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './erase-user.ts';

let database: OpenDatabase;
let prisma: OpenDatabase['prisma'];

beforeAll(async () => {
  database = await openTestDatabase();
  prisma = database.prisma;
});

afterAll(() => database.stop());

const emptyTables = () => prisma.$executeRaw`TRUNCATE users, outbox_events CASCADE`;

/** A user with three keys, one of them revoked, a vault and a sign-in link; texts that are theirs contain their name. */
async function makeUser(name: string): Promise<string> {
  const keys = ['consumer', 'provider', 'consumer'] as const;
  const { userId } = await createUser(prisma, { name, provider: 'github', subject: name, keys });
  await prisma.$executeRaw`
    UPDATE api_keys SET revoked_at = now()
    WHERE id = (SELECT id FROM api_keys WHERE user_id = ${userId}::uuid ORDER BY created_at, id LIMIT 1)`;
  const value = JSON.stringify({ wrapped: `root of ${name}` });
  await prisma.sealedValue.create({ data: { userId, name: 'vault', value } });
  await createSignInLink(prisma, { userId, minutes: 15, publicUrl: 'https://relay.example' });
  return userId;
}

/** Inserts requests of one kind, each with this number of messages. Returns their ids. */
async function addRequests(
  userId: string,
  request: { count: number; status?: 'pending' | 'closed'; dueIn?: number; messages?: number },
): Promise<string[]> {
  const { count, status = 'pending', dueIn = 3_600, messages = 0 } = request;
  const ids = Array.from({ length: count }, makeRequestId);
  await prisma.$executeRaw`
    INSERT INTO help_requests (
      id, ref_code, user_id, consumer_key_id, question, context, call_id, created_at, expires_at, status,
      ended_at, message_count)
    SELECT row.id, row.ref_code, users.id, api_keys.id, 'question of ' || users.name, '[]', gen_random_uuid(),
      now() - interval '1 hour', now() + ${dueIn} * interval '1 second', ${status}::request_status,
      CASE WHEN ${status} = 'closed' THEN now() END, ${messages}::int
    FROM unnest(${ids}::text[], ${ids.map(makeRefCode)}::text[]) AS row (id, ref_code)
    JOIN users ON users.id = ${userId}::uuid
    JOIN LATERAL (SELECT id FROM api_keys WHERE user_id = users.id LIMIT 1) AS api_keys ON TRUE`;
  await prisma.$executeRaw`
    INSERT INTO messages (request_id, seq, role, message_id, message_key, plaintext)
    SELECT id, seq, 'provider', key, key, 'answer ' || seq
    FROM unnest(${ids}::text[]) AS id, generate_series(2, ${messages}::int + 1) AS seq,
      LATERAL (SELECT md5(id || seq)::uuid AS key) AS made`;
  return ids;
}

/** Runs a command like the command line does, and returns its output. */
async function run(...args: string[]): Promise<string> {
  let printed = '';
  const write = async (text: string) => {
    printed += text;
  };
  await readCommand(args)(prisma, write, { publicUrl: 'https://relay.example' });
  return printed;
}

describe('sign-in-link', () => {
  test('prints a link, stores only its digest, and writes an audit line without the link', async () => {
    const userId = await makeUser('ada~');
    const audit = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const link = JSON.parse(await run('sign-in-link', '--user', userId, '--minutes', '5', '--json'));
    const line = String(audit.mock.calls[0]?.[0]);
    audit.mockRestore();
    expect(link).toEqual({
      linkId: expect.any(String),
      userId,
      url: expect.stringMatching(/^https:\/\/relay\.example\/auth\/link\?token=[\w-]{43}$/),
      expiresAt: expect.any(String),
    });
    expect(JSON.parse(line)).toMatchObject({ msg: 'a sign-in link was made', userId, linkId: link.linkId });
    const token = new URL(link.url).searchParams.get('token') ?? '';
    expect(line).not.toContain(token);
    const stored = await prisma.signInLink.findUnique({ where: { id: link.linkId } });
    expect(JSON.stringify(stored)).not.toContain(token);
    const left = (stored?.expiresAt.getTime() ?? 0) - (stored?.createdAt.getTime() ?? 0);
    expect(left).toBe(5 * 60_000);
  });

  test.each(['0', '-1', '1441', '1.5', 'soon'])('--minutes %s is refused', (minutes) => {
    const args = ['sign-in-link', '--user', randomUUID(), `--minutes=${minutes}`];
    expect(() => readCommand(args)).toThrow('--minutes must be a whole number from 1 to 1440.');
  });
});

/** The tables that contain a text, with the number of rows. Without the outbox, whose events must still be published. */
async function findRows(text: string): Promise<Record<string, number>> {
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', 'outbox_events')`;
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await prisma.$queryRawUnsafe<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM "${name}" AS one WHERE to_jsonb(one)::text LIKE '%' || $1 || '%'`,
      text,
    );
    if (row && row.count > 0) found[name] = row.count;
  }
  return found;
}

/** The events in the outbox, counted by kind. */
async function countEvents(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { payload } of await prisma.outboxEvent.findMany()) {
    const event = new EventHead(payload).readBody();
    const name = event.case === 'requestClosed' ? EndReason[event.value.reason] : event.case;
    counts[String(name)] = (counts[String(name)] ?? 0) + 1;
  }
  return counts;
}

async function addEndpoint(userId: string, channel: 'webhook' | 'email'): Promise<void> {
  await prisma.notificationEndpoint.create({
    data: {
      id: randomUUID(),
      userId,
      channel,
      events: ['request.created'],
      sealingKeyId: 'k1',
      sealed: new Uint8Array(1),
      deliveries: {
        create: {
          id: `msg_${randomUUID()}`,
          type: 'request.created',
          state: 'delivered',
          response: 'thanks',
          eventAt: new Date(),
          dueAt: new Date(),
        },
      },
    },
  });
}

describe('export-user', () => {
  beforeEach(emptyTables);

  test('prints all data of a user, and no data of others', async () => {
    const userId = await makeUser('ada');
    await addRequests(userId, { count: 45 });
    const [long] = await addRequests(userId, { count: 1, status: 'closed', messages: 120 });
    const [late] = await addRequests(userId, { count: 1, dueIn: -1 });
    await prisma.$executeRaw`
      UPDATE help_requests SET tags = '{deploy}', follows = '{"files":1,"question":false}', closed_by = 'consumer', close_reason = 'Fixed.' WHERE id = ${long}`;
    await addRequests(await makeUser('bob~'), { count: 3, messages: 3 });
    await addEndpoint(userId, 'webhook');
    await addEndpoint(userId, 'email');
    await prisma.notificationSettings.create({ data: { userId, quietFrom: '22:00' } });

    const text = await run('export-user', '--user', userId);
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const of = (type: string) => records.filter((record) => record.type === type);
    expect(of('user')).toMatchObject([{ userId, name: 'ada' }]);
    expect(of('identity')).toMatchObject([{ provider: 'github', subject: 'ada' }]);
    expect(of('key')).toHaveLength(3);
    expect(of('webhook')).toMatchObject([{ keyId: null, events: ['request.created'] }]);
    expect(of('channel')).toMatchObject([{ kind: 'email', delaySeconds: 0, confirmedAt: null }]);
    expect(of('notification_settings')).toEqual([
      { type: 'notification_settings', pausedUntil: null, quietFrom: '22:00', quietTo: null, timeZone: null },
    ]);
    const delivery = { eventType: 'request.created', state: 'delivered', response: 'thanks' };
    expect(of('delivery')).toMatchObject([delivery, delivery]);
    expect(text).not.toContain('sealed');
    expect(of('vault')).toMatchObject([{ vault: { wrapped: 'root of ada' } }]);
    expect(new Set(of('request').map(({ requestId }) => requestId)).size).toBe(47);
    expect(of('request').find(({ requestId }) => requestId === late)).toMatchObject({ status: 'expired' });
    const notes = {
      follows: { files: 1, question: false },
      tags: ['deploy'],
      closedBy: 'consumer',
      closeReason: 'Fixed.',
    };
    expect(of('request').find(({ requestId }) => requestId === long)).toMatchObject(notes);
    expect(of('message').map(({ requestId, plaintext }) => [requestId, plaintext])).toEqual(
      Array.from({ length: 120 }, (_, index) => [long, `answer ${index + 2}`]),
    );
    expect(records.at(-1)).toEqual({ type: 'end', requests: 47, messages: 120 });
    expect(text).not.toContain('bob~');
    // A shorter pattern could match a random id.
    expect(text).not.toMatch(/hs_(prov_)?[0-9A-Za-z]{38}|digest/i);
  });

  test('prints the blob of an encrypted message', async () => {
    const userId = await makeUser('ada');
    const [requestId = ''] = await addRequests(userId, { count: 1 });
    const messageId = randomUUID();
    const blob = { iv: 'aQ==', ciphertext: 'Yw==', tag: 'dA==', ephemeralPublicKey: 'ZQ==' };
    await prisma.message.create({
      data: {
        requestId,
        seq: 2,
        role: 'consumer',
        messageId,
        messageKey: messageId,
        ...blob,
        signature: 'cw==',
      },
    });
    const lines = (await run('export-user', '--identity', 'github:ada')).split('\n');
    const message = JSON.parse(lines.find((line) => line.includes('"message"')) ?? '');
    expect(message).toEqual({
      type: 'message',
      requestId,
      messageId,
      seq: 2,
      role: 'consumer',
      encrypted: blob,
      signature: 'cw==',
      createdAt: expect.any(String),
    });
  });
});

describe('erase-user', () => {
  beforeEach(emptyTables);

  test('without --yes it only prints the data that it would erase', async () => {
    const userId = await makeUser('ada');
    await addRequests(userId, { count: 2 });
    await expect(run('erase-user', '--user', userId)).rejects.toThrow(
      /^This would erase the user ada .* with 3 keys and 2 requests\. Nothing was done yet: add --yes/,
    );
    expect(await countEvents()).toEqual({});
    expect(await prisma.helpRequest.count({ where: { status: 'pending' } })).toBe(2);
  });

  test('ends requests and revokes keys with events, then deletes all data of the user and none of others', async () => {
    // With a sign that no random id contains.
    const userId = await makeUser('ada~');
    const other = await makeUser('bob~');
    await addRequests(other, { count: 3, messages: 2 });
    const others = await findRows('bob~');
    await addRequests(userId, { count: 700, messages: 1 });
    await addRequests(userId, { count: 2, dueIn: -5 });
    await addRequests(userId, { count: 2, status: 'closed', messages: 1_500 });

    expect(JSON.parse(await run('erase-user', '--identity', 'github:ada~', '--yes', '--json'))).toEqual({
      userId,
      keys: 2,
      ended: 702,
      requests: 704,
      messages: 3_700,
    });
    expect(await findRows('ada~')).toEqual({});
    expect(await findRows(userId)).toEqual({});
    expect(await findRows('bob~')).toEqual(others);
    expect(await countEvents()).toEqual({ CLOSED: 700, EXPIRED: 2, credentialRevoked: 3 });
    await expect(run('erase-user', '--user', userId, '--yes')).rejects.toThrow('There is no user');
  });

  test('waits while more than 1,000 events are not published', async () => {
    const userId = await makeUser('ada');
    await addRequests(userId, { count: 1 });
    await prisma.$executeRaw`
      INSERT INTO outbox_events (type, payload, user_id)
      SELECT 'key_exchange', '', gen_random_uuid() FROM generate_series(1, 1001)`;
    let looks = 0;
    const counting = new Proxy(prisma, {
      get(target, name) {
        if (name !== '$queryRaw') return Reflect.get(target, name);
        return (text: TemplateStringsArray, ...values: unknown[]) => {
          if (text.join('').includes('outbox_events_position_seq')) looks++;
          return target.$queryRaw(text, ...values);
        };
      },
    });
    const erased = readCommand(['erase-user', '--user', userId, '--yes'])(counting, async () => {}, {
      publicUrl: 'https://relay.example',
    });
    await eventually('three looks at the outbox', () => looks >= 3);
    expect(await prisma.helpRequest.count({ where: { status: 'pending' } })).toBe(1);
    await prisma.outboxEvent.deleteMany();
    await erased;
    expect(await prisma.user.count()).toBe(0);
  });

  test('keeps the user until everything that was written during the erasure is deleted', async () => {
    const userId = await makeUser('ada');
    expect(await deleteUser(prisma, userId)).toBe(false);
    await prisma.apiKey.updateMany({ data: { revokedAt: new Date() } });
    await addRequests(userId, { count: 1 });
    expect(await deleteUser(prisma, userId)).toBe(false);
    await prisma.helpRequest.deleteMany();
    expect(await deleteUser(prisma, userId)).toBe(true);
    expect(await prisma.user.count()).toBe(0);
  });
});

describe('the command line', () => {
  test.each([
    [[], /^Name a command\.[\s\S]*erase-user --user USER_ID --yes/],
    [['toString'], /^There is no command toString\.[\s\S]*create-user --name NAME/],
    [['create-user'], /^--name is missing or empty\.[\s\S]*create-user --name NAME/],
    [['create-user', '--name', ''], /^--name is missing or empty\./],
    [['create-user', '--name', 'ada', '--key', 'master'], '--key must be consumer or provider'],
    [['create-user', '--name', 'ada', '--identity', 'ada'], '--identity must be PROVIDER:SUBJECT'],
    [['export-user'], /^Name the user by --user or by --identity\.[\s\S]*export-user --user USER_ID/],
    [['export-user', '--user', 'ada'], '--user must be a UUID'],
    [['export-user', '--user', randomUUID(), '--identity', 'github:ada'], 'export-user --user USER_ID'],
    [['end-sessions'], 'end-sessions --user USER_ID'],
    [['erase-user', '--all'], "Unknown option '--all'"],
  ])('%j is refused with a helpful sentence', (args, sentence) => {
    expect(() => readCommand(args)).toThrow(sentence);
  });

  test('--help gets the help, and nothing else is', () => {
    expect(helpOf(['create-user', '--help'])).toMatch(/^Creates a user/);
    expect(helpOf(['--help'])).toMatch(/^Creates a user[\s\S]*Erases a user/);
    expect(helpOf(['create-user'])).toBeUndefined();
  });
});

describe('the program', () => {
  beforeEach(emptyTables);

  const adminProgram = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));

  /** Starts it with its standard output as the shell redirects it. */
  const start = (args: readonly string[], redirect = '') =>
    spawn('bash', ['-c', `exec "$@" ${redirect}`, 'bash', process.execPath, adminProgram, ...args], {
      env: { ...process.env, DATABASE_URL: database.url },
    });

  test('continues to erase after it was killed, and inserts no event twice', async () => {
    const userId = await makeUser('ada');
    await addRequests(userId, { count: 3_000, messages: 1 });
    await using outbox = await openOutbox(testServers(), database);
    await outbox.startPublisher();
    const admin = start(['erase-user', '--user', userId, '--yes']);
    const exited = once(admin, 'exit');
    await eventually('it has started', async () => (await prisma.helpRequest.count()) < 3_000);
    admin.kill('SIGKILL');
    await exited;
    expect(await prisma.user.count()).toBe(1);

    await run('erase-user', '--user', userId, '--yes');
    expect(await findRows(userId)).toEqual({});
    expect(await countEvents()).toEqual({ CLOSED: 3_000, credentialRevoked: 3 });
  });

  test('prints a long export completely, even if its reader is slow', async () => {
    const userId = await makeUser('ada');
    await addRequests(userId, { count: 30, messages: 100 });
    const admin = start(['export-user', '--user', userId]);
    const exited = once(admin, 'exit');
    const printed = await text(admin.stdout);
    expect(await exited).toEqual([0, null]);
    expect(printed.trimEnd().split('\n').at(-1)).toBe('{"type":"end","requests":30,"messages":3000}');
  });

  test.each([
    ['nothing reads', 'EPIPE', '> >(exec true)', 'export-user'],
    ['is on a full disk', 'ENOSPC', '> /dev/full', 'sign-in-link'],
  ])('fails with one sentence if its output is one that %s', async (_, code, redirect, command) => {
    const userId = await makeUser('ada');
    await addRequests(userId, { count: 30, messages: 100 });
    const admin = start([command, '--user', userId], redirect);
    const exited = once(admin, 'exit');
    expect((await text(admin.stderr)).replace(/^{.*}\n/, '')).toBe(
      `The output could not be written (${code}), and what the command has done stays done. Keys that create-user has made ` +
        'are shown nowhere else: revoke them on the page "Agent keys".\n',
    );
    expect(await exited).toEqual([1, null]);
  });
});
