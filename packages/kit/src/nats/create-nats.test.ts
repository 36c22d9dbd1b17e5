import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, openBlackHole, startOwnNats } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { nkeys } from 'nats';
import { createLog } from '../log/index.ts';
import { createNats } from './create-nats.ts';
import type { NatsAccess } from './read-access.ts';
import { type Certificates, makeCertificates } from './testing/make-certificates.ts';
import { makeCreds } from './testing/make-creds.ts';

let folder: string;
let certificates: Certificates;
const silentLog = createLog('test', { level: 'silent' });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-kit-nats-'));
  certificates = makeCertificates(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Connects, and returns a response that came through NATS, or the reason of the failure. */
async function tryOnce(access: NatsAccess): Promise<string> {
  const reasons: string[] = [];
  const log = Object.assign(Object.create(silentLog), {
    warn: (fields: { reason?: string }) => reasons.push(fields.reason ?? ''),
  });
  const nats = createNats({ ...access, name: 'test', log });
  await nats.start?.();
  try {
    while (!nats.connected && reasons.length === 0) await pause(10);
    const [reason] = reasons;
    if (reason !== undefined || !nats.connection) return reason ?? 'no connection';
    const { connection } = nats;
    connection.subscribe('greet', { callback: (_, message) => message.respond('hello') });
    return (await connection.request('greet', undefined, { timeout: 60_000 })).string();
  } finally {
    await nats.stop?.();
  }
}

/** The same, repeated when a busy server did not answer in time. */
async function tryToConnect(access: NatsAccess): Promise<string> {
  let outcome = await tryOnce(access);
  for (let tries = 1; outcome === 'TIMEOUT' && tries < 20; tries++) outcome = await tryOnce(access);
  return outcome;
}

describe('TLS', () => {
  const serverConfig = (more = '') => `tls {
    cert_file: "${certificates.server.cert}", key_file: "${certificates.server.key}",
    ca_file: "${certificates.ca}" ${more} }\n`;

  test('a certificate of the configured authority is accepted, and no other', async () => {
    await using server = await startOwnNats(serverConfig());
    expect(await tryToConnect({ url: `nats://${server.host}`, caFile: certificates.ca })).toBe('hello');
    expect(await tryToConnect({ url: `tls://${server.host}`, caFile: certificates.ca })).toBe('hello');
    expect(await tryToConnect({ url: `tls://${server.host}` })).toMatch(/certificate/);
  });

  test('a server that requires a certificate gets the one of this service', async () => {
    await using server = await startOwnNats(serverConfig(', verify: true'));
    const { ca: caFile, client } = certificates;
    const url = `tls://${server.host}`;
    expect(await tryToConnect({ url, caFile, certFile: client.cert, keyFile: client.key })).toBe('hello');
    expect(await tryOnce({ url, caFile })).not.toBe('hello');
  });

  test('is required when it is configured, also by a server without TLS', async () => {
    await using server = await startOwnNats('');
    expect(await tryToConnect({ url: `nats://${server.host}` })).toBe('hello');
    expect(await tryToConnect({ url: `tls://${server.host}` })).toMatch(/has no TLS/);
    const caFile = certificates.ca;
    expect(await tryToConnect({ url: `nats://${server.host}`, caFile })).toMatch(/has no TLS/);
  });
});

describe('signing in', () => {
  test('a service that cannot do without NATS learns whether its user is accepted', async () => {
    await using server = await startOwnNats('authorization { user: relay, password: right }\n');
    for (const [password, acceptance] of [
      ['wrong', { refused: "'Authorization Violation'" }],
      ['right', 'accepted'],
    ] as const) {
      const url = `nats://relay:${password}@${server.host}`;
      const nats = createNats({ url, name: 'test', isRequired: true, log: silentLog });
      expect(nats.acceptance?.()).toBe('unknown');
      await nats.start?.();
      try {
        await eventually('NATS has answered', () => nats.acceptance?.() !== 'unknown');
        expect(nats.acceptance?.()).toEqual(acceptance);
      } finally {
        await nats.stop?.();
      }
    }
    expect(createNats({ url: 'nats://127.0.0.1', name: 'test', log: silentLog }).acceptance).toBeUndefined();
  });

  test('with user and password of any characters', async () => {
    const [user, password] = ['a@relay', 'p:/?#%20'];
    await using server = await startOwnNats(
      `authorization { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)} }`,
    );
    const [name, secret] = [user, password].map(encodeURIComponent);
    expect(await tryToConnect({ url: `nats://${name}:${secret}@${server.host}` })).toBe('hello');
    expect(await tryToConnect({ url: `nats://${server.host}` })).toMatch(/authorization/i);
  });

  test('with an nkey', async () => {
    const key = nkeys.createUser();
    await using server = await startOwnNats(`authorization { users: [ { nkey: ${key.getPublicKey()} } ] }`);
    const seedOf = (one: typeof key) => new TextDecoder().decode(one.getSeed());
    const url = `nats://${server.host}`;
    expect(await tryToConnect({ url, nkeySeed: seedOf(key) })).toBe('hello');
    expect(await tryToConnect({ url, nkeySeed: seedOf(nkeys.createUser()) })).toMatch(/authorization/i);
  });

  test('with a credentials file', async () => {
    const { creds, serverConfig } = makeCreds();
    const credentialsFile = join(folder, 'user.creds');
    writeFileSync(credentialsFile, creds);
    await using server = await startOwnNats(serverConfig);
    expect(await tryToConnect({ url: `nats://${server.host}`, credentialsFile })).toBe('hello');
    expect(await tryToConnect({ url: `nats://${server.host}` })).toMatch(/authorization/i);
  });
});

test('a connection survives a server that refuses its user for a while', async () => {
  const users = join(folder, 'users.conf');
  const allow = (user: string) =>
    writeFileSync(users, `authorization { user: ${user}, password: secret }`, 'utf8');
  allow('relay');
  await using server = await startOwnNats(`include "../${basename(folder)}/users.conf"`);
  const nats = createNats({ url: `nats://relay:secret@${server.host}`, name: 'test', log: silentLog });
  await nats.start?.();
  await eventually('a connection', () => nats.connected);
  let refusals = 0;
  void (async () => {
    for await (const { data } of nats.connection?.status() ?? [])
      if (data === 'AUTHORIZATION_VIOLATION') refusals++;
  })();

  await server.kill();
  allow('another');
  await server.start();
  await eventually('two refusals', () => refusals >= 2);
  await server.kill();
  allow('relay');
  await server.start();
  await eventually('the connection is back', () => nats.connected);
  await nats.stop?.();
});

test.each<[string, Partial<NatsAccess>, RegExp]>([
  ['a file that is not there', { caFile: '/nowhere/ca.pem' }, /RELAY_NATS_CA_FILE names \/nowhere\/ca.pem/],
  ['a certificate without its key', { certFile: '/nowhere' }, /RELAY_NATS_KEY_FILE, or neither/],
  ['missing credentials', { credentialsFile: '/nowhere' }, /RELAY_NATS_CREDENTIALS_FILE names/],
  ['a text that is not a seed', { nkeySeed: 'SUNOSEED' }, /RELAY_NATS_NKEY_SEED is not valid/],
  ['two users at once', { url: 'nats://me:pw@127.0.0.1', nkeySeed: 'SU' }, /Set one of the user in NATS_URL/],
])('%s is refused', (_, access, message) => {
  const options = { url: 'nats://127.0.0.1', ...access, name: 'test', log: silentLog };
  expect(() => createNats(options)).toThrow(message);
});

describe('a server that does not answer', () => {
  const info = `INFO ${JSON.stringify({ server_id: 'a', version: '2.9.0', headers: true, max_payload: 1_000 })}\r\n`;
  const open = new Set<Socket>();
  let attempts: number;
  let isSilent: boolean;
  let server: Server;

  beforeEach(async () => {
    [attempts, isSilent] = [0, true];
    server = createServer((socket) => {
      attempts += 1;
      open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
      if (isSilent) return;
      socket.write(info);
      socket.on('data', (bytes) => String(bytes).endsWith('PING\r\n') && socket.write('PONG\r\n'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  test('gets one connection, since that of an attempt is closed with it, at the start and later', async () => {
    const { port } = server.address() as AddressInfo;
    const nats = createNats({ url: `nats://127.0.0.1:${port}`, name: 'test', log: silentLog });
    await nats.start?.();
    await eventually('three attempts', () => attempts >= 3);
    await eventually('the earlier connections are closed', () => open.size <= 1);

    isSilent = false;
    await eventually('a connection', () => nats.connected);
    [attempts, isSilent] = [0, true];
    for (const socket of open) socket.destroy();
    await eventually('three attempts', () => attempts >= 3);
    await eventually('the earlier connections are closed', () => open.size <= 1);

    await nats.stop?.();
    await eventually('no connection is left', () => open.size === 0);
  });

  test('is one whose connections are not made either: none is left of an attempt', async () => {
    const blackHole = await openBlackHole();
    const countSockets = () =>
      process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length;
    const before = countSockets();
    let failures = 0;
    const log = Object.assign(Object.create(silentLog), { warn: () => (failures += 1) });
    const nats = createNats({ url: `nats://127.0.0.1:${blackHole.port}`, name: 'test', log });
    await nats.start?.();
    await eventually('three attempts', () => failures >= 3);
    await nats.stop?.();
    await eventually('all sockets are closed', () => countSockets() <= before);
    blackHole.close();
  });
});
