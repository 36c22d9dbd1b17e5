import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import { eventually, submit, untilAvailable } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { schemaErrors } from '../black-box/schema-errors.ts';

/* What callers see after the retention of the content, and after that of the metadata. */

let relay: Constellation;
let expert: Tenant;

beforeAll(async () => {
  relay = await startConstellation({
    env: {
      RELAY_RETENTION: '0s',
      RELAY_METADATA_RETENTION: '1h',
      RELAY_PURGE_INTERVAL: '1s',
    },
  });
  expert = await relay.makeTenant();
});

afterAll(() => relay.stop());

async function call(method: string, path: string, body?: object) {
  const response = await untilAvailable(() =>
    fetch(relay.gatewayUrl + path, {
      method,
      headers: { 'x-api-key': expert.providerKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Makes the erased requests two hours old, and ends the life of their idempotency keys. */
async function endMetadataRetention(): Promise<void> {
  const client = new pg.Client({ connectionString: relay.databaseUrl });
  await client.connect();
  await client
    .query(`
      UPDATE help_requests SET expires_at = now() - interval '25 hours';
      UPDATE request_stages SET at = at - interval '2 hours' WHERE stage = 'erased'`)
    .finally(() => client.end());
}

test('after the retention a conversation is returned without content, and later it is 404', async () => {
  const question = 'May I remove the lock file?';
  const { body } = await submit(relay.gatewayUrl, expert.consumerKey, { question });
  const { requestId, refCode } = body;
  const message = { role: 'provider', plaintext: 'Yes.', messageId: crypto.randomUUID() };
  expect((await call('POST', `/api/v1/message/${requestId}`, message)).status).toBe(201);
  expect((await call('POST', `/api/v1/close/${requestId}`)).status).toBe(200);

  const list = () => call('GET', `/api/v1/messages/${requestId}`);
  const erased = await eventually('the content is erased', async () => {
    const response = await list();
    return response.body.question === null ? response : undefined;
  });
  expect(erased).toMatchObject({
    status: 200,
    body: {
      requestId,
      refCode,
      status: 'closed',
      responseCount: 1,
      context: [],
      plaintext: null,
      messages: [],
    },
  });
  expect(schemaErrors(erased.body, { $ref: '#/components/schemas/Conversation' })).toEqual([]);
  expect((await call('GET', '/api/v1/requests')).body).toMatchObject({
    requests: [{ requestId, status: 'closed', question: '', responseCount: 1 }],
  });
  expect(await call('POST', `/api/v1/message/${requestId}`, message)).toMatchObject({
    status: 409,
    body: { error: 'conversation_closed' },
  });

  await endMetadataRetention();
  await eventually('the request is deleted', async () => (await list()).status === 404);
  expect((await call('GET', '/api/v1/requests')).body).toEqual({ requests: [] });
});

test('a question with a name that is asked again after its content was erased is neither asked twice nor refused', async () => {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const ask = async () => {
    const agent = createRelay({
      url: relay.gatewayUrl,
      hubUrl: relay.hubUrl,
      apiKey: expert.consumerKey,
      agentName: 'build agent',
      acceptNewExpert: true,
      secret,
    });
    try {
      const form = { type: 'object', properties: {} } as const;
      return await agent.ask({ question: 'May I deploy?', form, once: 'deploy', expiresInMs: 3_600_000 });
    } finally {
      agent.stop();
    }
  };
  const { requestId } = await ask();
  await call('POST', `/api/v1/close/${requestId}`);
  await eventually('the content is erased', async () => {
    const { body } = await call('GET', `/api/v1/messages/${requestId}`);
    return body.question === null;
  });
  const again = await ask();
  expect(again.requestId).toBe(requestId);
  await again.refresh();
  expect(again).toMatchObject({ status: 'closed', erasedAt: expect.any(String) });
});
