import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually, openStream, submit, topicUrl } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nats } from '../../scripts/servers/nats.ts';
import { redis } from '../../scripts/servers/redis.ts';
import { type OwnServer, startOwnServer } from '../../scripts/servers/testing/start-own-server.ts';

/*
 * Redis and NATS are killed and started again. A submit waits for neither of them: it is accepted, and its event arrives
 * when NATS is back.
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

/** Killed servers are started again only after the response, so a submit that waits for one of them never gets 201. */
const submitQuestion = (question: string) => submit(relay.gatewayUrl, expert.consumerKey, { question });

describe('after NATS was killed', () => {
  test('submits are accepted, and their events arrive in order when NATS is back', async () => {
    const stream = await subscribe(`/svc/providers/${expert.userId}`);
    await ownNats.kill();

    const questions = ['first', 'second', 'third'];
    for (const question of questions) {
      const { status } = await submitQuestion(question);
      expect(status).toBe(201);
    }

    await ownNats.start();
    await stream.next({ question: 'third' });
    const asked = stream.events.map(({ data }) => JSON.parse(data).question);
    expect(asked).toEqual(questions);
    await stream.close();
  });

  test('a conversation expires on time, and its event arrives once when NATS is back', async () => {
    const stream = await subscribe(`/svc/providers/${expert.userId}/activity`);
    const { body } = await submitQuestion('Without NATS?');
    await stream.next({ type: 'new_request', refCode: body.refCode });
    await ownNats.kill();

    const status = async () => {
      const response = await fetch(`${relay.gatewayUrl}/api/v1/help/${body.requestId}`);
      return ((await response.json()) as { status: string }).status;
    };
    await eventually('the request has expired', async () => (await status()) === 'expired');

    await ownNats.start();
    await stream.next({ type: 'request_closed', refCode: body.refCode });
    // A second copy of the event would arrive before the event of a later request.
    const { body: later } = await submitQuestion('And with it?');
    await stream.next({ type: 'new_request', refCode: later.refCode });
    const ends = stream.events.filter(({ data }) => {
      const { type, refCode } = JSON.parse(data);
      return type === 'request_closed' && refCode === body.refCode;
    });
    expect(ends).toHaveLength(1);
    await stream.close();
  });
});

describe('after Redis was killed', () => {
  test('submits are accepted and published at once, and conversations still expire', async () => {
    const stream = await subscribe(`/svc/providers/${expert.userId}/activity`);
    await ownRedis.kill();

    const { status, body } = await submitQuestion('Without Redis?');
    expect(status).toBe(201);
    await stream.next({ type: 'new_request', refCode: body.refCode });
    await stream.next({ type: 'request_closed', refCode: body.refCode });

    await ownRedis.start();
    await stream.close();
  });
});
