import { randomUUID } from 'node:crypto';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import {
  type OtlpReceiver,
  openStream,
  startOtlpReceiver,
  submit,
  topicUrl,
  treeOf,
} from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { unknownKey } from '../../black-box/key-text.ts';

/* A service sends its last spans when it stops, so each test stops the relay before it reads them. */

let receiver: OtlpReceiver;
let relay: Constellation;
let tenant: Tenant;

beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(async () => {
  await relay.stop();
  await receiver.close();
});

async function startTraced(env: Record<string, string> = {}): Promise<void> {
  relay = await startConstellation({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env } });
  tenant = await relay.makeTenant();
}

const post = (path: string, headers: Record<string, string>, body: object = {}) =>
  fetch(relay.gatewayUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    redirect: 'manual',
    body: JSON.stringify(body),
  });

const agentsTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const agentsSpan = '00f067aa0ba902b7';
const traceparent = `00-${agentsTrace}-${agentsSpan}-01`;

const traceOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);
/** The trees of all traces that have a span of this name. */
const treesWith = (name: string) =>
  [...new Set(receiver.spans.filter((span) => span.name === name).map(({ traceId }) => traceId))].map((id) =>
    treeOf(traceOf(id)),
  );

const texts = {
  question: 'Secret question?',
  plaintext: 'Secret text of the agent.',
  answer: 'Secret answer.',
};

/** One of each event of a conversation, while a reader of all of them listens. Returns what no span may contain. */
async function holdConversation(headers: Record<string, string> = {}): Promise<string[]> {
  const { consumerKey, providerKey, userId } = tenant;
  const stream = await openStream(topicUrl(relay.hubUrl, `/svc/providers/${userId}/activity`), {
    headers: { 'x-api-key': providerKey },
  });
  const { question, plaintext } = texts;
  const { requestId, refCode } = (await submit(relay.gatewayUrl, consumerKey, { question, plaintext })).body;
  await stream.next({ type: 'new_request' });
  const asExpert = { 'x-api-key': providerKey, ...headers };
  const messageId = randomUUID();
  const message = { role: 'provider', messageId, plaintext: texts.answer };
  expect((await post(`/api/v1/message/${requestId}`, asExpert, message)).status).toBe(201);
  await stream.next({ messageId });
  expect((await post(`/api/v1/close/${requestId}`, asExpert)).status).toBe(200);
  await stream.next({ type: 'request_closed' });
  await stream.close();
  return [consumerKey, providerKey, userId, requestId, refCode, messageId, ...Object.values(texts)];
}

test('a call, its statement, its event and the delivery are one trace', async () => {
  await startTraced();
  await holdConversation();
  await relay.stop();
  expect(treesWith('publish new_message')).toEqual([
    [
      'gateway: POST /api/v1/message/:requestId',
      '  gateway: SELECT FROM api_key_secrets',
      '  messages: POST /api/v1/message/:requestId',
      '    messages: INSERT INTO messages, UPDATE help_requests, INSERT INTO outbox_events, INSERT INTO notification_facts',
      '    outbox: publish new_message',
      '      hub: deliver new_message',
    ],
  ]);
  for (const event of ['new_request', 'request_closed']) {
    const [tree] = treesWith(`publish ${event}`);
    expect(tree).toEqual(
      expect.arrayContaining([`    outbox: publish ${event}`, `      hub: deliver ${event}`]),
    );
  }
});

test('an agent that traces finds the calls in its own trace', async () => {
  await startTraced();
  await holdConversation({ traceparent });
  await relay.stop();
  const spans = traceOf(agentsTrace);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === agentsSpan).map(({ name }) => name);
  expect(roots.sort()).toEqual(['POST /api/v1/close/:requestId', 'POST /api/v1/message/:requestId']);
  expect(spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['deliver new_message', 'deliver request_closed']),
  );
});

test('an agent that uses the SDK does too, where its fetch sends the trace', async () => {
  await startTraced();
  const agent = createRelay({
    url: relay.gatewayUrl,
    apiKey: tenant.consumerKey,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('traceparent', traceparent);
      return fetch(url, { ...init, headers });
    },
  });
  const conversation = await agent.ask({ question: 'Is it traced?' });
  await conversation.close();
  await relay.stop();
  expect(traceOf(agentsTrace).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['POST /api/v1/help', 'publish new_request', 'publish request_closed']),
  );
});

test('a call of a session is one trace through the dashboard', async () => {
  await startTraced();
  const signIn = await post('/auth/dev', {}, { user: 'ada' });
  const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  expect((await post('/api/keys', { cookie }, { name: 'bot', kind: 'consumer' })).status).toBe(201);
  await relay.stop();
  const [tree = []] = treesWith('POST /api/keys');
  expect(tree.filter((line) => line.endsWith('/keys'))).toEqual([
    'gateway: POST /api/keys',
    '  dashboard: POST /api/keys',
    '    requests: POST /internal/keys',
  ]);
  expect(receiver.text).not.toContain(cookie);
});

test('no span contains a key, a text, or an id of a user, a request or a message', async () => {
  await startTraced();
  const secrets = await holdConversation();
  const headers = { tracestate: 'a=secret-state', baggage: 'a=secret-baggage', 'x-request-id': 'secret-id' };
  await fetch(`${relay.gatewayUrl}/secret-path?q=secret-query`, { headers });
  await relay.stop();
  expect(receiver.spans.map(({ name }) => name)).toContain('GET none');
  for (const secret of [...secrets, 'secret-', 'GET /secret']) expect(receiver.text).not.toContain(secret);
});

test.each([
  ['of another form', 'secret'],
  ['of zeros', `00-${'0'.repeat(32)}-${agentsSpan}-01`],
  ['of an invalid version', `ff-${agentsTrace}-${agentsSpan}-01`],
  ['of two values', `${traceparent}, ${traceparent}`],
  ['that is much too long', `${traceparent}${'0'.repeat(5_000)}`],
])('a traceparent %s is ignored: the call begins a trace', async (_, invalid) => {
  await startTraced();
  await fetch(`${relay.gatewayUrl}/api/v1/whoami`, {
    headers: { 'x-api-key': tenant.consumerKey, traceparent: invalid },
  });
  await relay.stop();
  const [tree = []] = treesWith('GET /api/v1/whoami');
  expect(tree[0]).toBe('gateway: GET /api/v1/whoami');
  expect(tree).toContain('  requests: GET /api/v1/whoami');
  expect(traceOf(agentsTrace)).toEqual([]);
});

describe('what is sampled', () => {
  /** Traces of calls with and without a traceparent, and the payloads of all events. */
  async function sample(env: Record<string, string>) {
    await startTraced(env);
    await holdConversation({ traceparent });
    const client = new pg.Client(relay.databaseUrl);
    await client.connect();
    const { rows } = await client.query<{ payload: Buffer }>('SELECT payload FROM outbox_events');
    await client.end();
    await relay.stop();
    const own = receiver.spans.filter(({ traceId }) => traceId !== agentsTrace);
    const traced = rows.filter(({ payload }) => /00-[0-9a-f]{32}-/.test(payload.toString('latin1')));
    return {
      agents: traceOf(agentsTrace).length,
      own: own.length,
      events: rows.length,
      traced: traced.length,
    };
  }
  const some = expect.any(Number);

  test('nothing with always_off: events contain no trace', async () => {
    expect(await sample({ OTEL_TRACES_SAMPLER: 'always_off' })).toEqual({
      agents: 0,
      own: 0,
      events: 3,
      traced: 0,
    });
  });

  test('the traces of callers that sample, with a parentbased sampler', async () => {
    const counts = await sample({
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    expect(counts).toEqual({ agents: some, own: 0, events: 3, traced: 2 });
    expect(counts.agents).toBeGreaterThan(6);
  });

  test('only the share, without one: a caller cannot decide', async () => {
    const counts = await sample({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    expect(counts).toEqual({ agents: 0, own: 0, events: 3, traced: 0 });
  });
});

describe('a caller that sends a trace', () => {
  /** Ids with which a sampler that looks at them would always choose the trace. */
  const chosenIds = [`${'0'.repeat(31)}1`, 'f'.repeat(32)];
  const ratio = { OTEL_TRACES_SAMPLER_ARG: '0.000001' };

  async function callAs(headers: Record<string, string>): Promise<void> {
    for (const id of chosenIds) {
      const all = { ...headers, traceparent: `00-${id}-${agentsSpan}-01` };
      for (const path of [
        '/nowhere',
        '/auth/login',
        '/dashboard',
        '/api/v1/whoami',
        '/api/me',
        '/favicon.ico',
      ])
        await (await fetch(relay.gatewayUrl + path, { headers: all, redirect: 'manual' })).text();
      await post('/api/v1/help', all, { apiKey: 'hs_unknown' });
    }
  }

  const strangersKey = () => ({ 'x-api-key': unknownKey('hs_') });
  test.each([
    ['nothing of calls without a key', 'parentbased_traceidratio', () => ({})],
    ['nothing of calls with a key that is not valid', 'parentbased_traceidratio', strangersKey],
    ['nothing beyond the share, without a parentbased sampler', 'traceidratio', () => agentsKey()],
  ])('causes %s to be recorded', async (_, sampler, headers) => {
    await startTraced({ OTEL_TRACES_SAMPLER: sampler, ...ratio });
    await callAs(headers());
    await relay.stop();
    expect(receiver.spans.map(({ name }) => name)).toEqual([]);
  });

  const agentsKey = () => ({ 'x-api-key': tenant.consumerKey });

  test('causes its calls with a valid key to be recorded, also the first one', async () => {
    await startTraced({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', ...ratio });
    await callAs(agentsKey());
    await relay.stop();
    const names = receiver.spans.map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual(['GET /api/v1/whoami', 'SELECT FROM api_keys']);
    // Of the gateway, of the service and of its statement, for each id.
    expect(names).toHaveLength(3 * chosenIds.length);
  });
});

test('the settings of headers and attributes reach the collector', async () => {
  await startTraced({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-tenant=7',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production,service.name=other',
  });
  await fetch(`${relay.gatewayUrl}/api/health`);
  await relay.stop();
  expect(receiver.text).toContain('"authorization":"Bearer abc","x-tenant":"7"');
  expect(receiver.text).toContain(
    '{"key":"deployment.environment.name","value":{"stringValue":"production"}}',
  );
  expect(receiver.spans.map(({ service }) => service)).not.toContain('other');
});

test('without the collector everything works, and each service logs that once', async () => {
  await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  await holdConversation();
  await relay.stop();
  const lines = relay.logs.filter(({ msg }) => msg.startsWith('the collector accepts no spans'));
  const services = lines.map(({ service }) => service);
  expect(services).toContain('gateway');
  expect(new Set(services).size).toBe(services.length);
});
