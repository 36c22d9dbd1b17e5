import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { eventually, type LogLine } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkResponse } from '../black-box/check-response.ts';
import { sendCall } from '../black-box/http-call.ts';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { useRelay } from '../black-box/use-relay.ts';

/** What the broken server below sends before it closes the connection. */
let text = '';
/** Replaces the messages service. */
const broken = createServer((socket) => {
  socket.once('data', () => socket.write(text, () => socket.destroy()));
});
broken.listen(0, '127.0.0.1');
await once(broken, 'listening');
const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;

let logs: readonly LogLine[] = [];
const setup = useRelay(async () => {
  const relay = await openOwnRelay({ env: { RELAY_MESSAGES_URL: url } });
  logs = relay.constellation.logs;
  return relay;
});
const agent = new Agent();
let requestId = '';

beforeAll(async () => {
  requestId = (await setup.alice.consumer.newRequest()).requestId;
});
afterAll(() => {
  agent.destroy();
  broken.close();
});

/** Makes calls that need the messages service, with a key and with a session. Those of a session go through the dashboard. */
async function callMessages(): Promise<{ status: number; error: string; retryAfter: string | undefined }[]> {
  const { provider, session } = setup.alice;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ role: 'provider', plaintext: 'x' });
  const calls = [
    { method: 'GET', path: `/api/v1/messages/${requestId}`, headers: provider.headers },
    { method: 'POST', path: `/api/v1/message/${requestId}`, headers: { ...provider.headers, ...json }, body },
    { method: 'GET', path: `/api/requests/${requestId}`, headers: session.headers },
    {
      method: 'POST',
      path: `/api/requests/${requestId}/messages`,
      headers: { ...session.headers, ...json },
      body,
    },
  ];
  return await Promise.all(
    calls.map(async (call) => {
      const response = await sendCall(setup.relay.url, call, agent);
      expect(checkResponse(call, response)).toEqual([]);
      const { status, headers, json } = response;
      return { status, error: json.error, retryAfter: headers['retry-after'] };
    }),
  );
}

/** The dashboard's log lines about calls of the messages service after the first `since` lines, ordered by method. */
const dashboardLines = (since: number) =>
  logs
    .slice(since)
    .filter(({ service, callee }) => service === 'dashboard' && callee === 'messages')
    .sort((a, b) => String(a.method).localeCompare(String(b.method)));
const failed = (code: string, method: string) =>
  expect.objectContaining({
    level: 'warn',
    callee: 'messages',
    method,
    route: expect.stringMatching(/^\/api\/v1\/messages?\/:\w+$/),
    code,
  });

describe('the messages service', () => {
  test('closes the connection before it responds: 503 for reads, 502 for writes, and the reason is logged once', async () => {
    const since = logs.length;
    const [read, write] = [
      { status: 503, error: 'unavailable' },
      { status: 502, error: 'bad_gateway' },
    ];
    expect(await callMessages()).toMatchObject([read, write, read, write]);
    expect(dashboardLines(since)).toEqual([
      failed('UND_ERR_SOCKET', 'GET'),
      failed('UND_ERR_SOCKET', 'POST'),
    ]);
  });

  test('closes the connection during its response: the call is aborted, and the reason is logged once', async () => {
    text = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"requestId":';
    const since = logs.length;
    const call = { method: 'GET', path: `/api/requests/${requestId}`, headers: setup.alice.session.headers };
    await expect(sendCall(setup.relay.url, call, agent)).rejects.toThrow(/aborted|hang up|reset/i);
    await eventually('the reason is logged', () => dashboardLines(since).length > 0);
    await eventually('the call is logged', () =>
      logs.slice(since).some(({ service, msg }) => service === 'dashboard' && msg === 'call'),
    );
    expect(dashboardLines(since)).toEqual([failed('UND_ERR_SOCKET', 'GET')]);
    expect(JSON.stringify(dashboardLines(since))).not.toContain(requestId);
  });

  test('refuses connections: 503 with Retry-After, as documented, and other calls are served', async () => {
    const since = logs.length;
    await new Promise((resolve) => broken.close(resolve));
    for (const response of await callMessages()) {
      expect(response).toEqual({
        status: 503,
        error: 'unavailable',
        retryAfter: expect.stringMatching(/^\d+$/),
      });
    }
    expect(dashboardLines(since)).toEqual([failed('ECONNREFUSED', 'GET'), failed('ECONNREFUSED', 'POST')]);
    expect((await setup.alice.provider.get('/api/v1/requests')).status).toBe(200);
  });
});
