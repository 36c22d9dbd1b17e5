import { randomBytes } from 'node:crypto';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

let relay: Constellation;
let tenant: Tenant;

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64url')}`;
/** Names a key that the services have. */
const forged = 'gateway.known.CgA.AAAA';

beforeAll(async () => {
  relay = await startConstellation({
    env: {
      RELAY_PRINCIPAL_KEY_GATEWAY_REQUESTS: newKey('known'),
      RELAY_PRINCIPAL_KEY_GATEWAY_MESSAGES: newKey('known'),
      RELAY_PRINCIPAL_KEY_GATEWAY_DASHBOARD: newKey('known'),
    },
  });
  tenant = await relay.makeTenant();
});
afterAll(() => relay.stop());

async function refusedCount(service: 'requests' | 'messages' | 'dashboard', reason: string): Promise<number> {
  const metrics = await (await fetch(`${relay.services[service].opsUrl}/metrics`)).text();
  const line = new RegExp(`^relay_principal_refused_total\\{reason="${reason}",.*\\} (\\d+)$`, 'm');
  return Number(line.exec(metrics)?.[1] ?? 0);
}

// An attacker inside the network could call a service directly, without the gateway.
describe.each(['requests', 'messages', 'dashboard'] as const)('a direct call of %s', (name) => {
  const path = {
    requests: '/api/v1/requests',
    messages: `/api/v1/messages/${'a'.repeat(22)}`,
    dashboard: '/',
  }[name];
  const call = (headers: Record<string, string>) =>
    fetch(relay.services[name].url + path, { headers, redirect: 'manual' });

  test.each([
    ['without a principal', {}],
    ['with an API key', { 'x-api-key': 'hs_prov_0123456789' }],
  ])('%s: 401, and the metric counts it', async (_what, headers) => {
    const before = await refusedCount(name, 'missing');
    const response = await call(headers as Record<string, string>);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'unauthorized' });
    expect(await refusedCount(name, 'missing')).toBe(before + 1);
  });

  test('with a forged principal: 502, and it is counted and logged', async () => {
    const response = await call({ 'x-relay-principal': forged });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: 'principal_refused' });
    expect(await refusedCount(name, 'wrong_mac')).toBe(1);
    const lines = relay.logs.filter(({ service, reason }) => service === name && reason === 'wrong_mac');
    expect(lines).toEqual([expect.objectContaining({ level: 'error', caller: 'gateway' })]);
  });
});

test("the gateway's health check of the dashboard is not counted", async () => {
  const before = await refusedCount('dashboard', 'missing');
  await fetch(relay.services.dashboard.url, { method: 'HEAD' });
  expect(await refusedCount('dashboard', 'missing')).toBe(before);
});

test('the gateway ignores a principal header of a client', async () => {
  const response = await fetch(`${relay.gatewayUrl}/api/v1/whoami`, {
    headers: { 'x-api-key': tenant.consumerKey, 'x-relay-principal': forged },
  });
  expect(await response.json()).toMatchObject({ kind: 'consumer', userId: tenant.userId });
});

test('internal routes are 404 at the gateway', async () => {
  for (const path of ['/internal/keys', '/internal/me', '/%69nternal/keys', '/api/v1/../../internal/keys']) {
    const response = await fetch(relay.gatewayUrl + path, { headers: { 'x-api-key': tenant.providerKey } });
    expect(response.status).toBe(404);
  }
});

describe('when only one side has a new principal key', () => {
  let rotated: Constellation;
  let user: Tenant;

  beforeAll(async () => {
    rotated = await startConstellation({
      own: {
        gateway: { RELAY_PRINCIPAL_KEY_GATEWAY_MESSAGES: newKey('new') },
        dashboard: { RELAY_PRINCIPAL_KEY_DASHBOARD_REQUESTS: newKey('new') },
        hub: { RELAY_PRINCIPAL_KEY_HUB_REQUESTS: newKey('new') },
      },
    });
    user = await rotated.makeTenant();
  });
  afterAll(() => rotated.stop());

  /** Why a service refused the calls of another one. */
  const reasons = (service: string, caller: string) =>
    rotated.logs
      .filter((line) => line.service === service && line.caller === caller && line.reason)
      .map(({ reason }) => reason);

  test('a call through the gateway: 502, and the detail says that the credential is not the cause', async () => {
    const response = await fetch(`${rotated.gatewayUrl}/api/v1/messages/${'a'.repeat(22)}`, {
      headers: { 'x-api-key': user.providerKey },
    });
    expect(response.status).toBe(502);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(response.headers.get('x-request-id')).toBeTruthy();
    const body = await response.json();
    expect(body).toMatchObject({
      error: 'principal_refused',
      detail: expect.stringMatching(/not your credential/),
    });
    expect(reasons('messages', 'gateway')).toEqual(['unknown_key']);
  });

  test('a sign-in at the dashboard: 502 without a session cookie', async () => {
    const response = await fetch(`${rotated.gatewayUrl}/auth/dev`, {
      method: 'POST',
      body: new URLSearchParams({ user: 'dev' }),
      redirect: 'manual',
    });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: 'principal_refused' });
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(reasons('requests', 'dashboard')).toEqual(['unknown_key']);
  });

  test('a subscription with a valid API key: 503, not 401', async () => {
    const topic = `/svc/providers/${user.userId}`;
    const response = await fetch(`${rotated.hubUrl}/?topic=${topic}`, {
      headers: { 'x-api-key': user.providerKey },
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: 'unavailable' });
  });
});
