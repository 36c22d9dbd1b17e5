import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, openStream, type TestStream, topicUrl } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openRelayWithProviders, type RelayWithProviders } from './open-relay-with-providers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

const [oldSecret, newSecret] = ['the-old-secret', 'the-new-secret'].map((text) => text.padEnd(40, '-'));
const settings = { RELAY_ALLOWED_USERS: '@example.com', RELAY_SESSION_SECRET: oldSecret ?? '' };
let setup: RelayWithProviders;
let database: pg.Client;
let folder: string;
let streams: TestStream[];
let lastId = 1000;
/** How far the relay's clock is ahead of the real time. */
let clockOffsetMs = 0;

beforeAll(async () => {
  setup = await openRelayWithProviders({ env: settings, clock: { now: () => Date.now() + clockOffsetMs } });
  database = new pg.Client(setup.relay.databaseUrl);
  await database.connect();
  folder = await mkdtemp(join(tmpdir(), 'relay-allowed-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await database.end();
  await setup.stop();
});
beforeEach(() => {
  streams = [];
  newUser();
});
afterEach(() => Promise.all(streams.map((stream) => stream.close())));

function newUser(): void {
  const id = lastId++;
  const login = `user-${id}`;
  const emails = [{ email: `${login}@example.com`, primary: true, verified: true }];
  setup.github.user = { id, login, name: null, emails };
}

async function signIn(userAgent = ''): Promise<Visitor> {
  const visitor = createVisitor(setup.relay.gatewayUrl, userAgent ? { 'user-agent': userAgent } : {});
  await visitor.follow('/auth/github');
  return visitor;
}

async function subscribe(visitor: Visitor): Promise<TestStream> {
  const { userId } = (await visitor.call('GET', '/api/me')).json;
  const topic = `/svc/providers/${userId}`;
  const { token } = (await visitor.call('POST', '/api/stream-token', { topics: [topic] })).json;
  const stream = await openStream(topicUrl(setup.relay.hubUrl, topic), {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(stream.response.status).toBe(200);
  streams.push(stream);
  return stream;
}

const adminProgram = fileURLToPath(new URL('../../../services/requests/dist/admin.js', import.meta.url));

const runAdmin = (...args: string[]) =>
  promisify(execFile)(process.execPath, [adminProgram, ...args], {
    env: { ...process.env, DATABASE_URL: setup.relay.databaseUrl },
  });

const eraseUser = (userId: string) => runAdmin('erase-user', '--user', userId, '--yes');

const isSignedIn = async (visitor: Visitor) => (await visitor.call('GET', '/api/me')).status === 200;
const listOf = async (visitor: Visitor) => (await visitor.call('GET', '/api/sessions')).json.sessions;
/** Streams end within 5 s, on a busy machine somewhat later. Without a notice to the hubs, they would end after a minute. */
const untilEnded = (stream: TestStream) =>
  eventually('the stream ends', () => stream.ended, { timeoutMs: 30_000 });

describe('sessions', () => {
  test('are listed with their device, and the current one is marked', async () => {
    const laptop = await signIn('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0');
    const phone = await signIn(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/1 Safari/604.1',
    );
    expect(await listOf(phone)).toEqual([
      expect.objectContaining({ device: 'Safari on iPhone', provider: 'github', current: true }),
      expect.objectContaining({ device: 'Firefox on Linux', provider: 'github', current: false }),
    ]);
    expect((await listOf(laptop))[0]).toMatchObject({ device: 'Firefox on Linux', current: true });
  });

  test('only the loading of a page renews the cookie: a late response to another call would replace that of a newer sign-in', async () => {
    const visitor = await signIn();
    expect((await visitor.call('GET', '/api/sessions')).setCookies).toEqual([]);
    expect((await visitor.call('GET', '/api/requests')).setCookies).toEqual([]);
    expect((await visitor.call('GET', '/api/me')).setCookies).toHaveLength(1);
    expect((await visitor.get('/dashboard')).setCookies).toHaveLength(1);
  });

  test('can be ended one by one', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const stream = await subscribe(other);
    const { id } = (await listOf(other)).find(({ current }: { current: boolean }) => current);
    expect((await one.call('DELETE', `/api/sessions/${id}`)).status).toBe(204);
    expect(await isSignedIn(other)).toBe(false);
    expect((await one.call('DELETE', `/api/sessions/${id}`)).status).toBe(404);
    expect(await listOf(one)).toHaveLength(1);
    await untilEnded(stream);
  });

  test('of another user cannot be ended', async () => {
    const victim = await signIn();
    const [{ id }] = await listOf(victim);
    newUser();
    expect((await (await signIn()).call('DELETE', `/api/sessions/${id}`)).status).toBe(404);
    expect(await isSignedIn(victim)).toBe(true);
  });

  test('DELETE /api/sessions ends all others, and the streams of the current one stay open', async () => {
    const visitors = [await signIn(), await signIn(), await signIn()] as const;
    const [own, ...others] = await Promise.all(visitors.map(subscribe));
    expect((await visitors[0].call('DELETE', '/api/sessions')).status).toBe(204);
    expect(await Promise.all(visitors.map(isSignedIn))).toEqual([true, false, false]);
    await Promise.all(others.map(untilEnded));
    expect(own?.ended).toBe(false);
  });

  test('DELETE /api/sessions?all=true ends all sessions and their streams within five seconds', async () => {
    const visitors = [await signIn(), await signIn(), await signIn()] as const;
    const open = await Promise.all(visitors.map(subscribe));
    expect((await visitors[1].call('DELETE', '/api/sessions?all=true')).status).toBe(204);
    await Promise.all(open.map(untilEnded));
    expect(await Promise.all(visitors.map(isSignedIn))).toEqual([false, false, false]);
  });

  test('a user has at most 50; the least recently used one ends', async () => {
    const first = await signIn();
    const second = await signIn();
    for (let count = 0; count < 48; count++) await signIn();
    expect(await isSignedIn(first)).toBe(true);
    await signIn();
    expect(await isSignedIn(second)).toBe(false);
    expect(await listOf(first)).toHaveLength(50);
  });

  test('that the operator ends are over, with their streams and unused links; a later sign-in is not', async () => {
    const other = await signIn();
    newUser();
    const visitor = await signIn();
    const { github } = setup;
    const user = github.user;
    const stream = await subscribe(await signIn());
    const { userId } = (await visitor.call('GET', '/api/me')).json;
    const link = new URL((await setup.relay.makeSignInLink(userId)).url).searchParams.get('token') ?? '';

    await runAdmin('end-sessions', '--user', userId);
    await untilEnded(stream);
    await eventually('the session has ended', async () => !(await isSignedIn(visitor)));
    const late = createVisitor(setup.relay.gatewayUrl);
    expect((await late.post('/auth/link', { token: link })).headers.get('location')).toBe(
      '/auth/error?reason=link_unusable',
    );
    expect(await isSignedIn(other)).toBe(true);

    // Longer than the difference that clocks may have.
    clockOffsetMs += 60_000;
    github.user = user;
    const again = await signIn();
    expect((await subscribe(again)).ended).toBe(false);
    expect(await isSignedIn(again)).toBe(true);
    // The session that had only a stream has made no call since.
    expect(await listOf(again)).toMatchObject([{ current: true }]);
    clockOffsetMs = 0;
  });

  test('of a removed account are over with their streams, also if the call that removed it failed halfway', async () => {
    const visitor = await signIn();
    const account = setup.github.user.login;
    await visitor.follow((await visitor.call('POST', '/api/identities/google')).json.location, account);
    const [other, idle] = [createVisitor(setup.relay.gatewayUrl), createVisitor(setup.relay.gatewayUrl)];
    for (const browser of [other, idle]) await browser.follow('/auth/google', account);
    const stream = await subscribe(idle);
    const { userId } = (await visitor.call('GET', '/api/me')).json;
    await database.query(`DELETE FROM identities WHERE user_id = $1 AND provider = 'google'`, [userId]);
    expect(await isSignedIn(other)).toBe(false);
    expect((await visitor.call('DELETE', '/api/identities/google')).status).toBe(404);
    await untilEnded(stream);
    expect(await isSignedIn(idle)).toBe(false);
    expect(await listOf(visitor)).toMatchObject([{ current: true }]);
  });

  test('that the operator ends add no account, also when its sign-in at the provider had begun before', async () => {
    const visitor = await signIn();
    const { userId } = (await visitor.call('GET', '/api/me')).json;
    const { location } = (await visitor.call('POST', '/api/identities/google')).json;
    await runAdmin('end-sessions', '--user', userId);
    const page = await visitor.follow(location, 'stranger');
    expect(page.url).toContain('/auth/');
    const { rows } = await database.query('SELECT provider FROM identities WHERE user_id = $1', [userId]);
    expect(rows).toEqual([{ provider: 'github' }]);
  });

  test('that the operator ends notify no browser of theirs any more', async () => {
    const visitor = await signIn();
    const { userId } = (await visitor.call('GET', '/api/me')).json;
    await database.query(
      `INSERT INTO notification_endpoints (id, user_id, channel, sealing_key_id, sealed, enabled_at)
       SELECT gen_random_uuid(), $1, channel::notification_channel, 'k', '', now()
       FROM unnest(ARRAY['push', 'push', 'chat']) AS channel`,
      [userId],
    );
    await runAdmin('end-sessions', '--user', userId);
    const { rows } = await database.query('SELECT channel FROM notification_endpoints WHERE user_id = $1', [
      userId,
    ]);
    expect(rows).toEqual([{ channel: 'chat' }]);
  });

  test('of an erased user end, with their streams', async () => {
    const other = await signIn();
    const otherStream = await subscribe(other);
    newUser();
    // The second session has only an open stream.
    const [visitor, idle] = [await signIn(), await signIn()];
    const open = [await subscribe(visitor), await subscribe(idle)];
    const { userId } = (await visitor.call('GET', '/api/me')).json;
    const link = new URL((await setup.relay.makeSignInLink(userId)).url).searchParams.get('token') ?? '';

    await eraseUser(userId);
    const topics = [`/svc/providers/${userId}`];
    expect((await visitor.call('POST', '/api/stream-token', { topics })).status).toBe(401);
    for (const stream of open) {
      await untilEnded(stream);
    }
    expect((await visitor.get('/dashboard')).headers.get('location')).toBe('/auth/login');
    expect((await visitor.post('/auth/link', { token: link })).headers.get('location')).toBe(
      '/auth/error?reason=link_unusable',
    );
    expect(await isSignedIn(idle)).toBe(false);
    await eventually('nothing is left in Redis', async () =>
      (await setup.sessionKeys()).every((key) => !key.includes(userId)),
    );
    expect(await isSignedIn(other)).toBe(true);
    expect(otherStream.ended).toBe(false);
    // Each call of a session makes this one, so its access lines at level info would fill the log.
    const calls = setup.relay.logs.filter(({ route }) => route === '/internal/sessions/check');
    expect(new Set(calls.map(({ level }) => level))).toEqual(new Set(['debug']));
  });

  test('are removed from Redis when they have ended', async () => {
    const visitor = await signIn();
    const { userId } = (await visitor.call('GET', '/api/me')).json;
    const keys = async () => (await setup.sessionKeys()).filter((key) => key.includes(userId));
    expect(await keys()).toHaveLength(1);
    await visitor.post('/logout', {});
    await eventually('the index no longer contains the session', async () => (await keys()).length === 0);
  });
});

const restartDashboard = (changed: Record<string, string>) =>
  setup.relay.restart('dashboard', { settings: changed });

describe('after a restart of the dashboard', () => {
  afterEach(async () => {
    clockOffsetMs = 0;
    await restartDashboard(settings);
  });

  test('a user whom RELAY_ALLOWED_USERS no longer contains is signed out, and streams end within five seconds', async () => {
    const removed = await signIn();
    const idle = await subscribe(removed);
    newUser();
    const stays = await signIn();
    const other = await subscribe(stays);
    await restartDashboard({
      ...settings,
      RELAY_ALLOWED_USERS: `github:${setup.github.user.login}`,
    });
    // Without a call of this session in the meantime.
    await untilEnded(idle);
    expect(await isSignedIn(removed)).toBe(false);
    expect(await isSignedIn(stays)).toBe(true);
    expect(other.ended).toBe(false);
  });

  test('a user whom RELAY_ALLOWED_USERS_FILE no longer contains is signed out, with the streams', async () => {
    const file = join(folder, 'allowed');
    const { login } = setup.github.user;
    await writeFile(file, `github:${login}\n`);
    await restartDashboard({ ...settings, RELAY_ALLOWED_USERS: '', RELAY_ALLOWED_USERS_FILE: file });
    const stream = await subscribe(await signIn());
    await writeFile(file, 'github:somebody-else\n');
    await untilEnded(stream);
  });

  test('a call is 503 while it cannot be asked whether the session is open; a sign-out needs no answer', async () => {
    const [visitor, leaving] = [await signIn(), await signIn()];
    const cookies = leaving.cookies();
    // No server listens there.
    await restartDashboard({ ...settings, RELAY_REQUESTS_URL: 'http://127.0.0.1:9' });
    const response = await visitor.call('GET', '/api/sessions');
    expect([response.status, response.json.error]).toEqual([503, 'unavailable']);
    expect((await leaving.post('/logout', {})).headers.get('location')).toBe('/auth/login');
    await restartDashboard(settings);
    expect(await isSignedIn(visitor)).toBe(true);
    leaving.setCookies(cookies);
    expect(await isSignedIn(leaving)).toBe(false);
  });

  test('a session that is older than RELAY_SESSION_LIFETIME ends, with its streams; its browser is still notified', async () => {
    const visitor = await signIn();
    const stream = await subscribe(visitor);
    const { userId } = (await visitor.call('GET', '/api/me')).json;
    const [{ id: sessionId }] = (await visitor.call('GET', '/api/sessions')).json.sessions;
    await database.query(
      `INSERT INTO notification_endpoints (id, user_id, channel, sealing_key_id, sealed, enabled_at, session_id)
       VALUES (gen_random_uuid(), $1, 'push', 'k', '', now(), $2)`,
      [userId, sessionId],
    );
    await restartDashboard({ ...settings, RELAY_SESSION_LIFETIME: '4m' });
    expect(await isSignedIn(visitor)).toBe(true);
    clockOffsetMs = 241_000;
    expect(await isSignedIn(visitor)).toBe(false);
    await untilEnded(stream);
    const { rows } = await database.query('SELECT 1 FROM notification_endpoints WHERE session_id = $1', [
      sessionId,
    ]);
    expect(rows).toHaveLength(1);
  });

  test('the streams of a session end when its record in Redis was deleted', async () => {
    const stream = await subscribe(await signIn());
    await setup.deleteSessionRecords();
    await restartDashboard(settings);
    await untilEnded(stream);
  });

  test('a provider that cannot be reached: the sign-in is 502, and adding an account is 503', async () => {
    const visitor = await signIn();
    // No server listens there.
    await restartDashboard({ ...settings, RELAY_GOOGLE_ISSUER: 'http://127.0.0.1:9' });
    const stranger = createVisitor(setup.relay.gatewayUrl);
    const page = await stranger.follow('/auth/google');
    expect(page.url).toContain('/auth/error?reason=provider_failed');
    expect(page.status).toBe(502);
    const adding = await visitor.call('POST', '/api/identities/google');
    expect(adding.status).toBe(503);
    expect(adding.json.detail).toBe('Google does not respond. Nothing was changed.');
    expect(adding.headers.get('retry-after')).toBe('30');
  });

  test('with two session secrets, cookies of both are accepted, and new ones are signed with the first', async () => {
    const visitor = await signIn();
    const before = visitor.cookies();
    await restartDashboard({ ...settings, RELAY_SESSION_SECRET: `${newSecret},${oldSecret}` });
    expect(await isSignedIn(visitor)).toBe(true);
    expect(visitor.cookies()).not.toBe(before);
    await restartDashboard({ ...settings, RELAY_SESSION_SECRET: newSecret ?? '' });
    expect(await isSignedIn(visitor)).toBe(true);
    const old = createVisitor(setup.relay.gatewayUrl);
    old.setCookies(before);
    expect(await isSignedIn(old)).toBe(false);
  });
});
