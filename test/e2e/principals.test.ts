import { type Constellation, startConstellation, type Tenant } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

let relay: Constellation;
let tenant: Tenant;

beforeAll(async () => {
  relay = await startConstellation();
  tenant = await relay.makeTenant();
});
afterAll(() => relay.stop());

// What the gateway does for a caller, somebody inside the network might try to do without it.
describe.each(['requests', 'messages', 'dashboard'] as const)(
  '%s believes nothing but a signed principal',
  (name) => {
    const path = {
      requests: '/api/v1/requests',
      messages: `/api/v1/messages/${'a'.repeat(22)}`,
      dashboard: '/',
    }[name];

    test.each([
      ['nothing at all', {}],
      ['a key', { 'x-api-key': 'hs_prov_0123456789' }],
      ['a made-up principal', { 'x-relay-principal': 'gateway.local.CgA.AAAA' }],
    ])('with %s: 401', async (_what, headers) => {
      const answer = await fetch(relay.services[name].url + path, {
        headers: headers as Record<string, string>,
      });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: 'unauthorized' });
    });
  },
);

test('a principal from outside is stripped at the edge', async () => {
  const answer = await fetch(`${relay.gatewayUrl}/api/v1/whoami`, {
    headers: { 'x-api-key': tenant.consumerKey, 'x-relay-principal': 'gateway.local.CgA.AAAA' },
  });
  expect(await answer.json()).toMatchObject({ kind: 'consumer', userId: tenant.userId });
});

test('inner routes have no way in from outside', async () => {
  for (const path of ['/internal/keys', '/internal/me', '/%69nternal/keys', '/api/v1/../../internal/keys']) {
    const answer = await fetch(relay.gatewayUrl + path, { headers: { 'x-api-key': tenant.providerKey } });
    expect(answer.status).toBe(404);
  }
});
