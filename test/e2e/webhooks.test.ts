import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startWebhookReceiver } from './webhook-receiver.ts';

let relay: Constellation;
let tenant: Tenant;

beforeAll(async () => {
  relay = await startConstellation();
});
beforeAll(async () => {
  tenant = await relay.makeTenant();
});
afterAll(() => relay.stop());

async function call(
  key: string,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: responses of many forms, which the assertions check
): Promise<{ status: number; body: any }> {
  const response = await fetch(`${relay.gatewayUrl}/api/v1/${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function submit(apiKey: string): Promise<string> {
  const { body } = await call(apiKey, 'POST', 'help', {
    apiKey,
    messages: [],
    question: 'May I?',
    plaintext: 'May I?',
  });
  return body.requestId;
}

const send = (key: string, requestId: string, role: string) =>
  call(key, 'POST', `message/${requestId}`, { role, plaintext: 'some text' });

describe('webhooks', () => {
  test('tell an agent of what the expert does, and an expert of what the agent does, without their texts', async () => {
    await using agent = await startWebhookReceiver();
    await using expert = await startWebhookReceiver();
    const { consumerKey, otherConsumerKey, providerKey } = tenant;
    const ofAgent = await call(consumerKey, 'POST', 'webhooks', { url: agent.url });
    const ofExpert = await call(providerKey, 'POST', 'webhooks', { url: expert.url });
    expect([ofAgent.status, ofExpert.status]).toEqual([201, 201]);

    const requestId = await submit(consumerKey);
    await submit(otherConsumerKey);
    await send(consumerKey, requestId, 'consumer');
    await send(providerKey, requestId, 'provider');
    await call(providerKey, 'POST', `close/${requestId}`);

    const ofRequest = (receiver: typeof agent) =>
      receiver.received
        .filter(({ event }) => event.data.requestId === requestId)
        .map(({ event }) => event.type)
        .sort();
    await eventually('the agent is notified', () => ofRequest(agent).length === 2);
    await eventually(
      'the expert is notified',
      () => ofRequest(expert).length === 3 && expert.received.length === 4,
    );
    expect(ofRequest(agent)).toEqual(['message.created', 'request.closed']);
    expect(ofRequest(expert)).toEqual(['message.created', 'request.closed', 'request.created']);
    expect(agent.received).toHaveLength(2);
    for (const { body } of [...agent.received, ...expert.received]) expect(body).not.toContain('May I');

    for (const [receiver, { secret }] of [
      [agent, ofAgent.body],
      [expert, ofExpert.body],
    ] as const) {
      for (const { body, headers } of receiver.received) {
        expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeDefined();
      }
    }
    for (const [key, { id }] of [
      [consumerKey, ofAgent.body],
      [providerKey, ofExpert.body],
    ] as const) {
      expect((await call(key, 'DELETE', `webhooks/${id}`)).status).toBe(204);
    }
  });

  test('are tested, and a delivery that failed is sent again under the same id', async () => {
    await using receiver = await startWebhookReceiver();
    const { consumerKey } = tenant;
    receiver.answer(500);
    const { body: webhook } = await call(consumerKey, 'POST', 'webhooks', { url: receiver.url });
    const { status, body: sent } = await call(consumerKey, 'POST', `webhooks/${webhook.id}/test`);
    expect([status, sent]).toEqual([
      201,
      expect.objectContaining({ type: 'webhook.test', state: 'waiting' }),
    ]);
    const delivery = async () =>
      (await call(consumerKey, 'GET', `webhooks/${webhook.id}/deliveries`)).body.deliveries[0];
    await eventually(
      'the failure is shown',
      async () => (await delivery()).attempts > 0 && (await delivery()).state === 'waiting',
    );
    expect(await delivery()).toMatchObject({ id: sent.id, reason: 'refused', statusCode: 500 });
    expect((await delivery()).nextAttemptAt).toBeDefined();

    receiver.answer(200);
    await call(consumerKey, 'POST', `webhooks/${webhook.id}/deliveries/${sent.id}/resend`);
    await eventually('it is delivered', async () => (await delivery()).state === 'delivered');
    expect(await delivery()).not.toHaveProperty('reason');
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([sent.id]));
    const bodies = receiver.received.map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);

    const listed = await call(consumerKey, 'GET', 'webhooks');
    expect(listed.body.webhooks).toEqual([
      expect.objectContaining({ id: webhook.id, url: receiver.url, enabled: true }),
    ]);
    expect(listed.body.webhooks[0]).not.toHaveProperty('secret');
    await call(consumerKey, 'DELETE', `webhooks/${webhook.id}`);
  });

  test('get a new secret, while the old one is still accepted', async () => {
    await using receiver = await startWebhookReceiver();
    const { providerKey } = tenant;
    const { body: webhook } = await call(providerKey, 'POST', 'webhooks', {
      url: receiver.url,
      events: ['request.created'],
    });
    const { body: rotated } = await call(providerKey, 'POST', `webhooks/${webhook.id}/rotate`);
    const { body: again } = await call(providerKey, 'POST', `webhooks/${webhook.id}/rotate`, {
      graceSeconds: 0,
    });
    expect(new Set([webhook.secret, rotated.secret, again.secret]).size).toBe(3);
    await call(providerKey, 'POST', `webhooks/${webhook.id}/test`);
    await eventually('it is tested', () => receiver.received.length === 1);
    const [first] = receiver.received;
    const { body = '', headers = {} } = first ?? {};
    expect(new Webhook(again.secret).verify(body, headers as Record<string, string>)).toBeDefined();
    expect(() => new Webhook(rotated.secret).verify(body, headers as Record<string, string>)).toThrow();
    await call(providerKey, 'DELETE', `webhooks/${webhook.id}`);
  });

  test('that are off get nothing, neither then nor later', async () => {
    await using receiver = await startWebhookReceiver();
    const { providerKey, consumerKey } = tenant;
    const { body: webhook } = await call(providerKey, 'POST', 'webhooks', {
      url: receiver.url,
      events: ['request.created'],
    });
    const { body: off } = await call(providerKey, 'PUT', `webhooks/${webhook.id}`, { enabled: false });
    expect(off).toMatchObject({ enabled: false, offReason: 'owner' });
    expect(await call(providerKey, 'POST', `webhooks/${webhook.id}/test`)).toMatchObject({
      status: 409,
      body: { error: 'webhook_off' },
    });
    await submit(consumerKey);
    await call(providerKey, 'PUT', `webhooks/${webhook.id}`, { enabled: true });
    const last = await submit(consumerKey);
    await eventually('the last request is reported', () => receiver.received.length > 0);
    expect(receiver.received.map(({ event }) => event.data.requestId)).toEqual([last]);
    await call(providerKey, 'DELETE', `webhooks/${webhook.id}`);
  });

  test('belong to their key: others get the same response as for an unknown one', async () => {
    const { consumerKey, otherConsumerKey, providerKey } = tenant;
    const other = await relay.makeTenant('bob');
    const { body: webhook } = await call(consumerKey, 'POST', 'webhooks', { url: 'http://127.0.0.1:9/' });
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const key of [otherConsumerKey, other.consumerKey, other.providerKey]) {
      for (const [method, path, body] of [
        ['PUT', '', { enabled: false }],
        ['DELETE', '', undefined],
        ['POST', '/rotate', undefined],
        ['POST', '/test', undefined],
        ['GET', '/deliveries', undefined],
        ['POST', '/deliveries/msg_0123456789abcdef0123456789abcdef/resend', undefined],
      ] as const) {
        const response = await call(key, method, `webhooks/${webhook.id}${path}`, body);
        expect(response.status).toBe(404);
        expect(response).toEqual(await call(key, method, `webhooks/${unknown}${path}`, body));
      }
      expect((await call(key, 'GET', 'webhooks')).body).toEqual({ webhooks: [] });
    }
    // The expert manages those of all agents.
    const { body } = await call(providerKey, 'GET', 'webhooks');
    expect(body.webhooks).toEqual([expect.objectContaining({ id: webhook.id, keyId: expect.any(String) })]);
    const forAgents = { events: ['keys.exchanged'] };
    expect(await call(providerKey, 'PUT', `webhooks/${webhook.id}`, forAgents)).toMatchObject({
      status: 200,
      body: forAgents,
    });
    const forExperts = { events: ['request.created'] };
    expect((await call(providerKey, 'PUT', `webhooks/${webhook.id}`, forExperts)).status).toBe(400);
    await call(providerKey, 'DELETE', `webhooks/${webhook.id}`);
  });

  test.each([
    ['no text', 5],
    ['no address', 'example'],
    ['another protocol', 'ftp://example.com/'],
    ['a user and a password', 'https://user:password@example.com/'],
    ['a fragment', 'https://example.com/#part'],
    ['the address of a private network', 'https://10.0.0.1/'],
    ['a metadata service', 'http://169.254.169.254/'],
    ['a private address in IPv6', 'https://[fd00::1]/'],
    ['a public address without https', 'http://1.1.1.1/'],
    ['a public address with another port', 'https://1.1.1.1:8443/'],
    ['a text that is too long', `https://example.com/${'x'.repeat(2_000)}`],
  ])('are not created with %s', async (_, url) => {
    const response = await call(tenant.consumerKey, 'POST', 'webhooks', { url });
    expect(response).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', fields: [{ path: 'url' }] },
    });
  });

  test.each([[[]], [['request.created']], [['message.created', 'message.created']], ['message.created']])(
    'of a consumer key are not created with the events %j',
    async (events) => {
      const response = await call(tenant.consumerKey, 'POST', 'webhooks', {
        url: 'https://example.com/',
        events,
      });
      expect(response).toMatchObject({
        status: 400,
        body: {
          fields: expect.arrayContaining([
            expect.objectContaining({ path: expect.stringContaining('events') }),
          ]),
        },
      });
    },
  );

  test('are limited: three of a key, and ten tests a minute', async () => {
    const { consumerKey } = await relay.makeTenant('limited');
    const url = 'http://127.0.0.1:9/';
    const created = [];
    for (let n = 0; n < 3; n++) created.push(await call(consumerKey, 'POST', 'webhooks', { url }));
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await call(consumerKey, 'POST', 'webhooks', { url })).toMatchObject({
      status: 409,
      body: { error: 'too_many_webhooks' },
    });
    const { id } = created[0]?.body ?? {};
    const statuses = [];
    for (let n = 0; n < 11; n++)
      statuses.push((await call(consumerKey, 'POST', `webhooks/${id}/test`)).status);
    expect(statuses).toEqual([...Array(10).fill(201), 429]);
    const headers = { 'x-api-key': consumerKey };
    const refused = await fetch(`${relay.gatewayUrl}/api/v1/webhooks/${id}/test`, {
      method: 'POST',
      headers,
    });
    expect(refused.headers.get('retry-after')).toBe('60');
  });
});
