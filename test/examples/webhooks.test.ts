import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually, reservePort } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findPythonWithPackages } from '../../scripts/python/find-python.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { pythonRequirements } from '../tools.ts';
import { runExample } from './run-example.ts';

/* The receivers and the serverless agent of docs/notifications.md, with the public libraries of Standard Webhooks. */

const python = await findPythonWithPackages(pythonRequirements);

let relay: Constellation;
let tenant: Tenant;
let folder: string;

beforeAll(async () => {
  relay = await startConstellation();
  tenant = await relay.makeTenant();
  folder = mkdtempSync(join(tmpdir(), 'relay-webhooks-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await relay.stop();
});

async function call(key: string, path: string, body?: object): Promise<{ id: string; secret: string }> {
  const response = await fetch(`${relay.gatewayUrl}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as { id: string; secret: string };
}

/** Runs a receiver, sends it a test and an event that somebody else has signed. */
async function tryReceiver(command: readonly [string, ...string[]]): Promise<void> {
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}/`;
  const { id, secret } = await call(tenant.consumerKey, 'webhooks', { url });
  const receiver = runExample(command, { WEBHOOK_SECRET: secret, PORT: String(port) });
  await receiver.untilPrinted(/Receiving/);
  const { id: delivery } = await call(tenant.consumerKey, `webhooks/${id}/test`);
  const printed = () =>
    receiver
      .stdout()
      .split('\n')
      .filter((line) => line !== '');
  await eventually('the test is printed', () => printed().length === 1);
  expect(JSON.parse(printed()[0] ?? '')).toMatchObject({ type: 'webhook.test', data: {} });

  const other = await call(tenant.consumerKey, 'webhooks', { url });
  await call(tenant.consumerKey, `webhooks/${other.id}/test`);
  const states = async (webhook: string) => {
    const response = await fetch(`${relay.gatewayUrl}/api/v1/webhooks/${webhook}/deliveries`, {
      headers: { 'x-api-key': tenant.consumerKey },
    });
    const { deliveries } = (await response.json()) as {
      deliveries: { statusCode?: number; state: string }[];
    };
    return deliveries;
  };
  await eventually(
    'a foreign signature is refused',
    async () => (await states(other.id))[0]?.statusCode === 401,
  );
  const statusOf = async (signature: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': signature,
    };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  expect(await statusOf('x', '{}')).toBe(401);
  expect(await statusOf('v1,a', '{}')).toBe(401);
  expect(await statusOf('v1,YQ==', Uint8Array.of(0xff))).toBe(401);
  // A repetition is accepted and not handled again.
  await call(tenant.consumerKey, `webhooks/${id}/deliveries/${delivery}/resend`);
  await eventually('it is delivered again', async () => (await states(id))[0]?.state === 'delivered');
  expect(printed()).toHaveLength(1);
  await receiver.stop();
  for (const webhook of [id, other.id]) {
    const headers = { 'x-api-key': tenant.consumerKey };
    await fetch(`${relay.gatewayUrl}/api/v1/webhooks/${webhook}`, { method: 'DELETE', headers });
  }
}

test('examples/webhooks/receiver.mjs prints what it can verify, once', async () => {
  await tryReceiver(['node', 'examples/webhooks/receiver.mjs']);
});

testUnless(whyMissing(python))('examples/webhooks/receiver.py prints what it can verify, once', async () => {
  if ('program' in python) await tryReceiver([python.program, 'examples/webhooks/receiver.py']);
});

test('examples/webhooks/agent.mjs asks, ends, and continues when it is called', async () => {
  // The platform of the function: it starts the agent for each call.
  const calls: { headers: object; body: string }[] = [];
  const platform = createServer(async (request, response) => {
    calls.push({ headers: request.headers, body: await text(request) });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const { port } = platform.address() as AddressInfo;
  const { secret } = await call(tenant.consumerKey, 'webhooks', { url: `http://127.0.0.1:${port}/` });
  const env = {
    RELAY_URL: relay.gatewayUrl,
    RELAY_API_KEY: tenant.consumerKey,
    WEBHOOK_SECRET: secret,
    STATE_FOLDER: join(folder, 'state'),
  };
  const agent = (...args: string[]) =>
    runExample(['node', 'examples/webhooks/agent.mjs', ...args], env).ended();

  const asked = await agent('ask', 'Is 42 the answer?');
  expect(asked).toEqual({ code: 0, printed: expect.stringMatching(/^Asked as HS-\w+, and ended\.\n$/) });
  const bot = runExample(['node', 'examples/expert-bot.mjs', '--all'], {
    RELAY_URL: relay.gatewayUrl,
    RELAY_API_KEY: tenant.providerKey,
    BOT_FOLDER: join(folder, 'bot'),
  });
  const called = (type: string) => calls.find(({ body }) => JSON.parse(body).type === type);
  const { headers, body } = await eventually('the answer is reported', () => called('message.created'));
  expect(await agent('handle', JSON.stringify(headers), body)).toEqual({
    code: 0,
    printed: 'The answer is: You asked: Is 42 the answer? I am only an example, but I would wait.\n',
  });
  await bot.stop();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});
