import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { keyExchange } from '../black-box/samples.ts';
import { subscribe } from '../black-box/subscribe.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
/** Its conversations last ten seconds: long enough for a few calls on a busy machine. */
const brief = useRelay(() => openOwnRelay({ env: { RELAY_CONVERSATION_TTL: '10s' } }));
const message = { role: 'provider', plaintext: 'x' };

async function newConversation({ alice } = setup) {
  const { requestId, expiresAt } = await alice.consumer.newRequest();
  return {
    requestId,
    send: () => alice.provider.post(`/api/v1/message/${requestId}`, message),
    exchange: () => alice.provider.post(`/api/v1/key-exchange/${requestId}`, keyExchange()),
    close: () => alice.consumer.post(`/api/v1/close/${requestId}`),
    status: async () => (await alice.consumer.get(`/api/v1/help/${requestId}`)).json.status,
    expire: () => pause(Math.max(0, Date.parse(expiresAt) - Date.now() + 50)),
  };
}

describe(row('decisions', 'statuses'), () => {
  test('a request is pending, then responded, then closed', async () => {
    const { send, close, status } = await newConversation();
    expect(await status()).toBe('pending');
    await send();
    expect(await status()).toBe('responded');
    await close();
    expect(await status()).toBe('closed');
  });

  test('a message of the consumer does not change the status', async () => {
    const { requestId, status } = await newConversation();
    await setup.alice.consumer.post(`/api/v1/message/${requestId}`, { role: 'consumer', plaintext: 'x' });
    expect(await status()).toBe('pending');
  });

  test('a key exchange does not change the status, and a pending request can be closed', async () => {
    const { exchange, close, status } = await newConversation();
    await exchange();
    expect(await status()).toBe('pending');
    await close();
    expect(await status()).toBe('closed');
  });

  test.concurrent('pending and responded requests expire, a closed one stays closed', async () => {
    const [pending, responded, closed] = [
      await newConversation(brief),
      await newConversation(brief),
      await newConversation(brief),
    ];
    await responded.send();
    await closed.close();
    await closed.expire();
    expect(await pending.status()).toBe('expired');
    expect(await responded.status()).toBe('expired');
    expect(await closed.status()).toBe('closed');
    expect((await closed.close()).status).toBe(200);
  });
});

describe(row('decisions', 'ended conversation'), () => {
  test('closed: send and key exchange are 409, messages can be read', async () => {
    const { requestId, send, exchange, close } = await newConversation();
    await send();
    await close();
    for (const response of [await send(), await exchange()]) {
      expect(response.status).toBe(409);
      expect(response.json.error).toBe('conversation_closed');
    }
    expect((await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json.messages).toHaveLength(1);
  });

  test.concurrent('expired: send, key exchange and close are 409, messages can be read', async () => {
    const { requestId, send, exchange, close, expire } = await newConversation(brief);
    await send();
    await expire();
    for (const response of [await send(), await exchange(), await close()]) {
      expect(response.status).toBe(409);
      expect(response.json.error).toBe('conversation_expired');
    }
    expect((await brief.alice.session.post(`/api/requests/${requestId}/close`)).status).toBe(409);
    expect((await brief.alice.consumer.get(`/api/v1/messages/${requestId}`)).json.messages).toHaveLength(1);
  });

  test('the same key exchange again is 200 after the end', async () => {
    const { requestId, close } = await newConversation();
    const keys = keyExchange();
    const exchange = () => setup.alice.provider.post(`/api/v1/key-exchange/${requestId}`, keys);
    await exchange();
    await close();
    expect(await exchange()).toMatchObject({ status: 200, json: { status: 'closed' } });
  });

  test('closing again returns the first response, also to the other party', async () => {
    const { requestId, close } = await newConversation();
    const first = await close();
    expect((await close()).json).toEqual(first.json);
    expect((await setup.alice.provider.post(`/api/v1/close/${requestId}`)).json).toEqual(first.json);
    expect((await setup.alice.session.post(`/api/requests/${requestId}/close`)).json).toEqual(first.json);
  });
});

describe('the reason of a close', () => {
  const reason = 'Fixed by a restart.\nNothing to do \u202e🙈';

  test.each(['consumer', 'provider', 'session'] as const)(
    'of a %s is shown to both sides',
    async (closer) => {
      const { requestId } = await newConversation();
      const path = closer === 'session' ? `/api/requests/${requestId}/close` : `/api/v1/close/${requestId}`;
      const expected = {
        closedBy: closer === 'consumer' ? 'consumer' : 'provider',
        closeReason: reason,
      };
      const closed = await setup.alice[closer].post(path, { reason });
      expect(closed).toMatchObject({ status: 200, json: expected });
      const again = await setup.alice.consumer.post(`/api/v1/close/${requestId}`, { reason: 'Another.' });
      expect(again.json).toEqual(closed.json);
      for (const caller of [setup.alice.consumer, setup.alice.provider]) {
        expect((await caller.get(`/api/v1/messages/${requestId}`)).json).toMatchObject(expected);
        const { requests } = (await caller.get('/api/v1/requests?limit=1')).json;
        expect(requests[0]).toMatchObject({ requestId, ...expected });
      }
      expect((await setup.alice.session.get(`/api/requests/${requestId}`)).json).toMatchObject(expected);
      // The poll gets a response without a key.
      const poll = (await setup.alice.consumer.get(`/api/v1/help/${requestId}`)).json;
      expect(Object.keys(poll).filter((name) => name.startsWith('close'))).toEqual([]);
    },
  );

  test('is absent when none was given, and the side that closed is not', async () => {
    const { requestId, close } = await newConversation();
    expect(await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).not.toHaveProperty(
      'json.closedBy',
    );
    await close();
    const { json } = await setup.alice.provider.get(`/api/v1/messages/${requestId}`);
    expect(json.closedBy).toBe('consumer');
    expect(json).not.toHaveProperty('closeReason');
  });

  test('of 500 characters is the longest; a wrong one closes nothing', async () => {
    const { requestId, status } = await newConversation();
    const close = (given: unknown) =>
      setup.alice.consumer.post(`/api/v1/close/${requestId}`, { reason: given });
    for (const given of ['', 'x'.repeat(501), 7, ['x']]) {
      const response = await close(given);
      expect(response.status).toBe(400);
      expect(response.json.fields).toEqual([expect.objectContaining({ path: 'reason' })]);
    }
    expect(await status()).toBe('pending');
    expect((await close('x'.repeat(500))).status).toBe(200);
  });
});

test.concurrent(row('decisions', "expiry's event"), async () => {
  const { requestId, refCode } = await brief.alice.consumer.newRequest();
  const { userId, provider } = brief.alice;
  const request = await subscribe(brief.relay.hubUrl, { topic: `/svc/requests/${requestId}` });
  const activity = await subscribe(
    brief.relay.hubUrl,
    { topic: `/svc/providers/${userId}/activity` },
    provider.headers,
  );
  const [ended] = await request.received(1);
  expect(JSON.parse(ended?.data ?? '')).toEqual({ type: 'request_closed', refCode });
  await activity.next({ requestId });
  const events = activity.events.map(({ data }) => JSON.parse(data));
  expect(events.filter((event) => event.requestId === requestId)).toEqual([
    { type: 'request_closed', requestId, refCode, reason: 'expired' },
  ]);
  await request.close();
  await activity.close();
});
