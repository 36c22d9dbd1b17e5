import { randomUUID } from 'node:crypto';
import type { StreamEvent } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { keyExchange } from '../black-box/samples.ts';
import { subscribe } from '../black-box/subscribe.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const dataOf = (events: readonly StreamEvent[]) => events.map(({ data }) => JSON.parse(data));

/**
 * Subscribes to a topic with the provider's key, runs an action, and returns its first `count` events. Those of earlier requests may
 * still be on their way to a topic of the provider: one more request is made there before the action, and its event is behind them.
 */
async function eventsDuring(
  topic: string,
  count: number,
  action: () => Promise<unknown>,
): Promise<ReturnType<typeof dataOf>> {
  const stream = await subscribe(setup.relay.hubUrl, { topic }, setup.alice.provider.headers);
  expect(stream.response.status).toBe(200);
  let earlier = 0;
  try {
    if (topic.startsWith(ownTopic())) {
      const { refCode } = await setup.alice.consumer.newRequest();
      do earlier += 1;
      while (dataOf(await stream.received(earlier)).at(-1).refCode !== refCode);
    }
    await action();
    return dataOf(await stream.received(earlier + count)).slice(earlier);
  } finally {
    await stream.close();
  }
}

const ownTopic = () => `/svc/providers/${setup.alice.userId}`;
const reply = (requestId: string, messageId: string) =>
  setup.alice.provider.post(`/api/v1/message/${requestId}`, { role: 'provider', plaintext: 'x', messageId });

describe('events have exactly the members that the contract names', () => {
  test(row('events', 'new_request'), async () => {
    let refCode = '';
    const events = await eventsDuring(ownTopic(), 1, async () => {
      ({ refCode } = await setup.alice.consumer.newRequest({ question: 'Which one? 🙈' }));
    });
    expect(events).toEqual([{ type: 'new_request', refCode, question: 'Which one? 🙈' }]);
  });

  test('the question is kept to the byte, and ends a line for no reader of lines', async () => {
    const question = '\ufeffone\u0085two\u2028three\u2029four';
    const stream = await subscribe(setup.relay.hubUrl, { topic: ownTopic() }, setup.alice.provider.headers);
    const { requestId } = await setup.alice.consumer.newRequest({ question });
    const [{ data = '' } = {}] = await stream.received(1);
    await stream.close();
    expect(JSON.parse(data)).toMatchObject({ type: 'new_request', question });
    expect(data).not.toMatch(/[\u0085\u2028\u2029]/);
    const { json } = await setup.alice.provider.get(`/api/v1/messages/${requestId}`);
    expect(json.question).toBe(question);
  });

  test(row('decisions', 'who gets new_request'), async () => {
    const refCodes: string[] = [];
    const stream = await subscribe(setup.relay.hubUrl, { topic: ownTopic() }, setup.alice.provider.headers);
    await setup.bob.consumer.newRequest();
    refCodes.push((await setup.alice.consumer.newRequest({ question: undefined })).refCode);
    refCodes.push((await setup.alice.secondConsumer.newRequest()).refCode);
    const events = dataOf(await stream.received(2));
    await stream.close();
    expect(events.map((event) => event.refCode)).toEqual(refCodes);
    // The event of a request without a question has an empty one.
    expect(events[0]).toEqual({ type: 'new_request', refCode: refCodes[0], question: '' });
  });

  test(row('events', 'new_message'), async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const ids = [randomUUID(), randomUUID().toUpperCase()] as const;
    const events = await eventsDuring(`/svc/requests/${requestId}`, 3, async () => {
      await reply(requestId, ids[0]);
      await reply(requestId, ids[0]);
      await reply(requestId, ids[1]);
      await setup.alice.consumer.post(`/api/v1/message/${requestId}`, {
        role: 'consumer',
        plaintext: 'x',
        messageId: ids[0],
      });
      await setup.alice.consumer.post(`/api/v1/close/${requestId}`);
    });
    // There is no event for the repeated message or the refused one.
    expect(events.slice(0, 2)).toEqual(
      ids.map((messageId) => ({ type: 'new_message', role: 'provider', messageId })),
    );
    expect(events[2].type).toBe('request_closed');
  });

  test(row('events', 'key_exchange'), async () => {
    const { requestId, refCode } = await setup.alice.consumer.newRequest();
    const keys = keyExchange();
    const exchange = () => setup.alice.provider.post(`/api/v1/key-exchange/${requestId}`, keys);
    const events = await eventsDuring(`/svc/requests/${requestId}`, 2, async () => {
      await exchange();
      await exchange();
      await setup.alice.consumer.post(`/api/v1/close/${requestId}`);
    });
    expect(events[0]).toEqual({ type: 'key_exchange', refCode });
    expect(events[1].type).toBe('request_closed');
  });

  test(row('events', 'request_closed'), async () => {
    const { requestId, refCode } = await setup.alice.consumer.newRequest();
    const events = await eventsDuring(`/svc/requests/${requestId}`, 1, async () => {
      await setup.alice.consumer.post(`/api/v1/close/${requestId}`);
      await setup.alice.consumer.post(`/api/v1/close/${requestId}`);
    });
    expect(events).toEqual([{ type: 'request_closed', refCode }]);
  });

  test(row('decisions', "dashboard's live list"), async () => {
    const refs: { requestId: string; refCode: string }[] = [];
    const messageId = randomUUID();
    const events = await eventsDuring(`${ownTopic()}/activity`, 4, async () => {
      refs.push(await setup.alice.secondConsumer.newRequest({ question: 'Q' }));
      const [{ requestId } = { requestId: '' }] = refs;
      await setup.alice.provider.post(`/api/v1/key-exchange/${requestId}`, keyExchange());
      await reply(requestId, messageId);
      await setup.alice.secondConsumer.post(`/api/v1/close/${requestId}`);
    });
    const [{ requestId, refCode } = { requestId: '', refCode: '' }] = refs;
    expect(events).toEqual([
      { type: 'new_request', requestId, refCode, question: 'Q' },
      { type: 'key_exchange', requestId, refCode },
      { type: 'new_message', requestId, role: 'provider', messageId },
      { type: 'request_closed', requestId, refCode, reason: 'closed' },
    ]);
  });

  test('triage is an event of the activity topic only', async () => {
    const { requestId, refCode } = await setup.alice.consumer.newRequest();
    const snooze = async () => {
      const seenUntil = new Date(Date.now() + 60_000).toISOString();
      const response = await setup.alice.session.put(`/api/requests/${requestId}/snooze`, { seenUntil });
      expect(response.status).toBe(200);
    };
    const [onActivity] = await eventsDuring(`${ownTopic()}/activity`, 1, snooze);
    expect(onActivity).toEqual({ type: 'request_triaged', requestId, refCode });
    const [onContract] = await eventsDuring(`/svc/requests/${requestId}`, 1, async () => {
      await snooze();
      await setup.alice.consumer.post(`/api/v1/close/${requestId}`);
    });
    expect(onContract).toEqual({ type: 'request_closed', refCode });
  });

  test('a new request shows what follows on the activity topic only', async () => {
    const follows = { files: 2, question: false };
    const ask = () => setup.alice.consumer.newRequest({ question: 'Q', follows });
    const [onActivity] = await eventsDuring(`${ownTopic()}/activity`, 1, ask);
    expect(onActivity).toMatchObject({ type: 'new_request', question: 'Q', follows });
    const [onContract] = await eventsDuring(ownTopic(), 1, ask);
    expect(onContract).toEqual({ type: 'new_request', refCode: expect.any(String), question: 'Q' });
  });
});

describe(row('decisions', 'hub authorisation'), () => {
  async function statusOf(
    query: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const stream = await subscribe(setup.relay.hubUrl, query, headers);
    await stream.close();
    return stream.response.status;
  }

  test('without a credential a request topic is open, and a provider topic is 401', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    expect(await statusOf({ topic: `/svc/requests/${requestId}` })).toBe(200);
    expect(await statusOf({ topic: ownTopic() })).toBe(401);
    expect(await statusOf({ topic: `${ownTopic()}/activity` })).toBe(401);
  });

  test('a consumer key opens the topics of its requests, a provider key those of its user', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const topic = `/svc/requests/${requestId}`;
    const { alice, bob } = setup;
    expect(await statusOf({ topic }, alice.consumer.headers)).toBe(200);
    expect(await statusOf({ topic }, alice.provider.headers)).toBe(200);
    for (const caller of [alice.secondConsumer, bob.consumer, bob.provider]) {
      expect(await statusOf({ topic }, caller.headers)).toBe(403);
    }
    expect(await statusOf({ topic: ownTopic() }, alice.provider.headers)).toBe(200);
    for (const caller of [alice.consumer, bob.provider]) {
      expect(await statusOf({ topic: ownTopic() }, caller.headers)).toBe(403);
    }
    expect(await statusOf({ topic }, { 'x-api-key': 'hs_nonsense' })).toBe(401);
  });

  test('a stream token in the header or the query opens only its topics', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const topic = `/svc/requests/${requestId}`;
    const { token } = (await setup.alice.consumer.post('/api/v1/stream-token', { topics: [topic] })).json;
    expect(await statusOf({ topic }, { authorization: `Bearer ${token}` })).toBe(200);
    expect(await statusOf({ topic, authorization: token })).toBe(200);
    const { requestId: other } = await setup.alice.consumer.newRequest();
    expect(await statusOf({ topic: `/svc/requests/${other}`, authorization: token })).toBe(403);
    expect(await statusOf({ topic, authorization: `${token.slice(0, -4)}AAAA` })).toBe(401);
    expect(await statusOf({ topic, authorization: 'nonsense' })).toBe(401);
  });

  test('a topic of another form is 400', async () => {
    for (const topic of [
      '',
      '*',
      '/svc',
      '/svc/requests/',
      '/svc/requests/x',
      '/svc/providers/*',
      '/svc/other/x',
    ]) {
      expect(await statusOf({ topic })).toBe(400);
    }
    expect(await statusOf({})).toBe(400);
  });
});
