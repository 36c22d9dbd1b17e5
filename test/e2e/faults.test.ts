import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually, openStream, submit, topicUrl } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nats } from '../../scripts/servers/nats.ts';
import { redis } from '../../scripts/servers/redis.ts';
import { type OwnServer, startOwnServer } from '../../scripts/servers/testing/start-own-server.ts';

/*
 * Redis and NATS are killed, as a power cut would, and started again. A submit awaits neither: it is
 * accepted, and its event arrives when it can.
 */

let ownNats: OwnServer;
let ownRedis: OwnServer;
let relay: Constellation;
let expert: Tenant;

beforeAll(async () => {
  [ownNats, ownRedis] = await Promise.all([startOwnServer(nats), startOwnServer(redis)]);
  relay = await startConstellation({
    servers: { natsUrl: ownNats.url, redisUrl: ownRedis.url },
    env: { RELAY_CONVERSATION_TTL: '5s' },
  });
  expert = await relay.makeTenant();
});

afterAll(() => relay.stop());
afterAll(() => Promise.all([ownNats.stop(), ownRedis.stop()]));

const subscribe = (topic: string, headers: Record<string, string> = {}) =>
  openStream(topicUrl(relay.hubUrl, topic), { headers: { 'x-api-key': expert.providerKey, ...headers } });

/** Submits, and says how long the answer took. */
async function submitTimed(question: string) {
  const start = performance.now();
  const submitted = await submit(relay.gatewayUrl, expert.consumerKey, { question });
  return { ...submitted, took: performance.now() - start };
}

/** Milliseconds. A busy machine takes its time too, but a call that waits for the server does not end before that is back. */
const atOnce = 10_000;

describe('NATS is killed', () => {
  test('submits are accepted at once, and their events arrive in order when it is back', async () => {
    const stream = await subscribe(`/svc/providers/${expert.userId}`);
    await ownNats.kill();

    const questions = ['first', 'second', 'third'];
    for (const question of questions) {
      const { status, took } = await submitTimed(question);
      expect(status).toBe(201);
      expect(took).toBeLessThan(atOnce);
    }

    await ownNats.start();
    await stream.next({ question: 'third' });
    const asked = stream.events.map(({ data }) => JSON.parse(data).question);
    expect(asked).toEqual(questions);
    await stream.close();
  });

  test('while a conversation expires: it has ended at its second, and is told of once when NATS is back', async () => {
    const stream = await subscribe(`/svc/providers/${expert.userId}/activity`);
    const { body } = await submitTimed('Without NATS?');
    await stream.next({ type: 'new_request', refCode: body.refCode });
    await ownNats.kill();

    const status = async () => {
      const answer = await fetch(`${relay.gatewayUrl}/api/v1/help/${body.requestId}`);
      return ((await answer.json()) as { status: string }).status;
    };
    await eventually('it has expired', async () => (await status()) === 'expired');

    await ownNats.start();
    await stream.next({ type: 'request_closed', refCode: body.refCode });
    // Whatever came twice would have come before a later event.
    const { body: later } = await submitTimed('And with it?');
    await stream.next({ type: 'new_request', refCode: later.refCode });
    const ends = stream.events.filter(({ data }) => {
      const { type, refCode } = JSON.parse(data);
      return type === 'request_closed' && refCode === body.refCode;
    });
    expect(ends).toHaveLength(1);
    await stream.close();
  });
});

describe('Redis is killed', () => {
  test('submits are accepted and told at once, and conversations end all the same', async () => {
    const stream = await subscribe(`/svc/providers/${expert.userId}/activity`);
    await ownRedis.kill();

    const { status, body, took } = await submitTimed('Without Redis?');
    expect(status).toBe(201);
    expect(took).toBeLessThan(atOnce);
    await stream.next({ type: 'new_request', refCode: body.refCode });
    await stream.next({ type: 'request_closed', refCode: body.refCode });

    await ownRedis.start();
    await stream.close();
  });
});
