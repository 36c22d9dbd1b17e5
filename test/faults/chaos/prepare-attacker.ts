import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { sendCall } from '../../black-box/http-call.ts';
import { seedRequests } from '../load/seed-requests.ts';
import type { Knowledge } from './attack/connection.ts';
import type { ChaosEnvironment } from './environment.ts';

const ownRequests = 40;
/** Longer than any run, since a conversation that has ended refuses messages. */
const lastingMs = 24 * 3_600_000;
const largeMessages = 12;
const largeMessageLength = 700_000;

/** The most keys that a user may have, of both kinds together. */
const mostKeys = 100;

/** Gives the attacker all keys that a user may have, and requests, one with a large conversation. Returns a function that renews the attacker's credentials. */
export async function prepareAttacker(environment: ChaosEnvironment): Promise<() => Promise<Knowledge>> {
  const { database, attacker, gatewayUrl, hubUrl } = environment;
  await seedRequests(
    database,
    attacker.userId,
    { count: ownRequests, expireAt: lastingMs, spread: 1 },
    lastingMs,
  );
  const rows = await database.query<{ id: string; refCode: string }>(
    `SELECT id, 'HS-' || ref_code AS "refCode" FROM help_requests WHERE user_id = $1 ORDER BY id`,
    [attacker.userId],
  );
  const requestIds = rows.map(({ id }) => id);
  const agent = new Agent({ keepAlive: true });
  const cookie = await signIn(gatewayUrl, 'mallory');
  const headers = { 'content-type': 'application/json', 'x-api-key': attacker.consumerKey, cookie };
  let calls = 0;
  const post = async (path: string, json: object, status: number) => {
    // Other addresses, so that the rate limits of one do not matter.
    const forwarded = { ...headers, 'x-forwarded-for': `10.9.${++calls % 250}.9` };
    const response = await sendCall(
      gatewayUrl,
      { method: 'POST', path, headers: forwarded, body: JSON.stringify(json) },
      agent,
    );
    if (response.status !== status)
      throw new Error(`POST ${path} responded with ${response.status}: ${response.text}`);
    return response.json;
  };
  for (let count = 0; count < largeMessages; count++) {
    const message = { role: 'consumer', messageId: randomUUID(), plaintext: 'x'.repeat(largeMessageLength) };
    await post(`/api/v1/message/${requestIds[0]}`, message, 201);
  }

  const consumerKeys = [attacker.consumerKey];
  const providerKeys = [attacker.providerKey];
  for (let count = 2; count < mostKeys; count++) {
    const [kind, keys] = count % 2 === 0 ? ['consumer', consumerKeys] : ['provider', providerKeys];
    keys.push((await post('/api/keys', { kind, name: `key ${count}` }, 201)).key);
  }
  await post('/api/keys', { kind: 'consumer', name: 'one too many' }, 409);

  return async () => {
    const topics = [`/svc/requests/${requestIds[1]}`];
    const { token } = await post('/api/v1/stream-token', { topics }, 201);
    return {
      userId: attacker.userId,
      consumerKeys,
      providerKeys,
      gatewayHost: new URL(gatewayUrl).host,
      hubHost: new URL(hubUrl).host,
      cookie: await signIn(gatewayUrl, 'mallory'),
      streamToken: token,
      requestIds,
      refCodes: rows.map(({ refCode }) => refCode),
    };
  };
}

/** Signs a user in by the route that exists only in development. Returns the session cookie. */
export async function signIn(gatewayUrl: string, user: string): Promise<string> {
  const agent = new Agent();
  try {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ user });
    const response = await sendCall(gatewayUrl, { method: 'POST', path: '/auth/dev', headers, body }, agent);
    const [cookie] = response.headers['set-cookie'] ?? [];
    if (!cookie)
      throw new Error(`POST /auth/dev responded with ${response.status} without a cookie: ${response.text}`);
    return cookie.split(';')[0] ?? '';
  } finally {
    agent.destroy();
  }
}
