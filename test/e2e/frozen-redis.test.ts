import {
  type Cable,
  type Constellation,
  createCable,
  eventually,
  startConstellation,
} from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/*
 * A Redis that says nothing any more, as a frozen machine or a network that drops everything: its connections
 * stay open. The dashboard cannot know its sessions then, and has to say so instead of waiting.
 */

const { REDIS_URL: redisUrl = '' } = process.env;
let cable: Cable;
let relay: Constellation;
let cookie = '';

beforeAll(async () => {
  cable = await createCable(redisUrl);
  relay = await startConstellation({ servers: { redisUrl: cable.url } });
  const signedIn = await fetch(`${relay.gatewayUrl}/auth/dev`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'frieda' }),
    redirect: 'manual',
  });
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(() => relay.stop());
afterAll(() => cable.stop());

async function me() {
  const answer = await fetch(`${relay.gatewayUrl}/api/me`, { headers: { cookie } });
  return { status: answer.status, error: ((await answer.json()) as { error?: string }).error };
}

test('a session call is told to come again, and is answered when Redis is back', async () => {
  expect((await me()).status).toBe(200);
  cable.hold();
  // The first meets a connection that looks fine, the second one that is known to be away.
  for (let call = 0; call < 2; call++) expect(await me()).toEqual({ status: 503, error: 'unavailable' });
  await cable.mend();
  await eventually('sessions are read again', async () => (await me()).status === 200);
});
