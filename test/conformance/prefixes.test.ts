import { describe, expect, test } from '@jest/globals';
import { checksumOf } from '../black-box/key-text.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';
import { createResources, endpointCall } from './endpoint-call.ts';
import { callersOf, endpoints } from './endpoints.ts';

const setup = useRelay();
const withKeys = endpoints.filter(({ auth }) => auth.includes('key'));

test(row('decisions', 'key format'), async () => {
  for (const kind of ['consumer', 'provider'] as const) {
    const response = await setup.alice.session.post('/api/keys', { kind, name: 'format' });
    const { key, lastFour } = response.json;
    expect(key).toMatch(kind === 'consumer' ? /^hs_[0-9A-Za-z]{38}$/ : /^hs_prov_[0-9A-Za-z]{38}$/);
    expect(key.slice(-6)).toBe(checksumOf(key.slice(0, -6)));
    expect(lastFour).toBe(key.slice(-4));
    // Only the response to POST contains the whole key.
    expect((await setup.alice.session.get('/api/keys')).text).not.toContain(key.slice(0, -4));
  }
});

describe(row('errors', '401'), () => {
  test.each(withKeys)(`${row('decisions', 'prefixes')}: $method $path`, async (endpoint) => {
    const ids = await createResources(setup.alice);
    for (const kind of ['consumer', 'provider'] as const) {
      const { status } = await setup.relay.call(
        endpointCall(endpoint, ids, { key: setup.alice[kind].key }, { as: kind }),
      );
      if (!callersOf(endpoint).includes(kind)) expect(status).toBe(401);
      else expect(status).not.toBe(401);
    }
  });

  test.each([
    ['another letter case', (key: string) => key.toUpperCase()],
    ['a space and a letter at its end', (key: string) => `${key} x`],
    ['another prefix', (key: string) => key.replace('hs_', 'hx_')],
    ["the other kind's prefix", (key: string) => key.replace('hs_', 'hs_prov_')],
    ['its digest instead of its text', () => 'a'.repeat(64)],
    ['50 times its length', (key: string) => key.repeat(50)],
  ])('a key with %s: 401', async (_name, change) => {
    const response = await setup.relay.anonymous.get('/api/v1/whoami', {
      'x-api-key': change(setup.alice.consumer.key),
    });
    expect(response.status).toBe(401);
    expect(response.json.error).toBe('unauthorized');
  });
});

test(row('authentication', 'consumer and provider, other v1 calls'), async () => {
  const { key } = setup.alice.consumer;
  expect((await setup.relay.anonymous.get('/api/v1/whoami', { 'X-API-Key': key })).status).toBe(200);
  expect((await setup.relay.anonymous.get('/api/v1/whoami', { authorization: `Bearer ${key}` })).status).toBe(
    401,
  );
  expect((await setup.relay.anonymous.get(`/api/v1/whoami?apiKey=${key}`)).status).toBe(401);
  // Two equal headers are refused too.
  const twice = await setup.relay.call({
    method: 'GET',
    path: '/api/v1/whoami',
    headers: { 'x-api-key': [key, key] },
  });
  expect(twice.status).toBe(401);
});

test(row('authentication', 'provider, key exchange'), async () => {
  const { requestId } = await setup.alice.consumer.newRequest();
  const response = await setup.alice.consumer.post(`/api/v1/key-exchange/${requestId}`, {});
  expect(response.status).toBe(401);
});

test(row('decisions', 'who am I'), async () => {
  const { alice } = setup;
  const topic = `/svc/providers/${alice.userId}`;
  expect((await alice.provider.get('/api/v1/whoami')).json).toEqual({
    kind: 'provider',
    name: `${alice.name} provider`,
    userId: alice.userId,
    topics: [topic, `${topic}/activity`],
  });
  expect((await alice.consumer.get('/api/v1/whoami')).json).toMatchObject({ kind: 'consumer', topics: [] });
});
