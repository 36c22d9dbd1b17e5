import { eventually, openRaw, type RawConnection } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { openUnread } from '../testing/open-unread.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

/* What clients without a key hold is bounded, and others are served meanwhile, whether the attack comes from few or many addresses. */

const totals = { connections: 150, bytes: 2_500_000 };
const megabyte = 'a'.repeat(1_000_000);
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { RELAY_MAX_CONNECTIONS: String(totals.connections), RELAY_BUFFER_MEMORY: String(totals.bytes) },
  });
});
afterAll(() => gateway.stop());

const connections: RawConnection[] = [];
afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  for (const upstream of Object.values(gateway.upstreams)) upstream.handler = undefined;
});

const bufferedBytes = () => gateway.metric('relay_gateway_buffered_bytes');
const closed = (limit: string) => gateway.metric('relay_http_connections_closed_total', { limit });

/** Another client, with a new connection for each request. */
async function othersAreServed(): Promise<void> {
  const path = '/auth/dev';
  for (const call of [{ path: '/dashboard' }, { path, method: 'POST', body: 'user=ada' }]) {
    expect((await ask(gateway.url, call)).status).toBe(200);
  }
}

describe.each([2, 64])('from %i addresses:', (addresses) => {
  const addressOf = (index: number) => `127.0.1.${1 + (index % addresses)}`;

  test('bodies that do not end', async () => {
    const refusedBefore = await gateway.metric('relay_gateway_bodies_refused_total');
    const head = 'POST /auth/dev HTTP/1.1\r\nHost: x\r\nContent-Length: 1000001\r\n\r\n';
    for (let count = 0; count < 64; count++) {
      const connection = await openRaw(gateway.url, addressOf(count));
      connections.push(connection);
      connection.send(head + megabyte);
      if (count % 16 === 15) await othersAreServed();
      expect(await bufferedBytes()).toBeLessThanOrEqual(totals.bytes);
    }
    await eventually(
      'all others are refused',
      async () => (await gateway.metric('relay_gateway_bodies_refused_total')) - refusedBefore >= 62,
    );
    const oldest = connections.slice(0, 60);
    for (const connection of oldest) {
      expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 503 .*retry-after: /is);
    }
    await othersAreServed();
  });

  test('responses that are not read', async () => {
    const { dashboard } = gateway.upstreams;
    for (let count = 0; count < 8; count++) {
      dashboard.handler = (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-length': megabyte.length }).end(megabyte);
      };
      const asset = { path: '/dashboard/assets/a-1.js', route: '/dashboard/assets/*' };
      connections.push((await openUnread(gateway, { from: addressOf(count), ...asset })).connection);
      expect(await bufferedBytes()).toBeLessThanOrEqual(totals.bytes);
      dashboard.handler = undefined;
      await othersAreServed();
    }
    const disconnected = () => gateway.metric('relay_gateway_responses_cut_off_total', { reason: 'memory' });
    expect(await disconnected()).toBeGreaterThan(0);
    expect(dashboard.sockets.size).toBeLessThan(8);
    const [first] = connections;
    first?.socket.resume();
    expect(await first?.closed()).toBe(true);
  });

  test('connections on which nothing happens', async () => {
    const used = await openRaw(gateway.url);
    connections.push(used);
    const before = await closed('total');
    for (let count = 0; count < 2 * totals.connections; count++) {
      connections.push(await openRaw(gateway.url, addressOf(count)));
      if (count % 50 !== 49) continue;
      await othersAreServed();
      used.send('GET /dashboard HTTP/1.1\r\nHost: x\r\n\r\n');
      await used.responses(1 + Math.floor(count / 50));
    }
    await eventually(
      'the oldest are closed',
      async () => (await closed('total')) - before >= totals.connections,
    );
    expect(used.statuses).toEqual(Array(6).fill(200));
    expect(await closed('address')).toBe(0);
  });
});
