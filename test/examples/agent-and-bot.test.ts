import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runExample } from './run-example.ts';

let relay: Constellation;
let tenant: Tenant;
let folder: string;

beforeAll(async () => {
  relay = await startConstellation();
  tenant = await relay.makeTenant();
  folder = mkdtempSync(join(tmpdir(), 'relay-example-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await relay.stop();
});

const env = (RELAY_API_KEY: string) => ({
  RELAY_URL: relay.gatewayUrl,
  RELAY_API_KEY,
  BOT_ROOT_FILE: join(folder, 'bot.root'),
});
const startBot = () => runExample(['node', 'examples/expert-bot.mjs'], env(tenant.providerKey));
const ask = (...command: [string, ...string[]]) => runExample(command, env(tenant.consumerKey));

test('the bot answers the agent, encrypted, and stays the same expert', async () => {
  const bot = startBot();
  const [, fingerprint] = await bot.says(/I am ((\d{5} ?){8})\./);

  const agent = ask('node', 'examples/agent.mjs', 'Is 42 the answer?');
  const [, refCode = ''] = await agent.says(/Asked as (HS-\w+)\./);
  expect(await agent.ended()).toEqual({
    code: 0,
    printed: 'You asked: Is 42 the answer? I am only an example, but I would wait.\n',
  });
  await bot.says(new RegExp(`${refCode} is answered`));
  expect(await listOf(refCode)).toMatchObject({
    status: 'closed',
    messages: [
      { role: 'provider', encrypted: { ciphertext: expect.any(String) }, signature: expect.any(String) },
    ],
  });
  await bot.stop();

  expect(statSync(join(folder, 'bot.root')).mode & 0o777).toBe(0o600);
  const again = startBot();
  expect((await again.says(/I am ((\d{5} ?){8})\./))[1]).toBe(fingerprint);
  await again.stop();
});

test('the bot answers the agent of bare curl too, in plain text', async () => {
  const bot = startBot();
  const agent = ask('bash', 'examples/agent.sh', 'May I?');
  expect((await agent.ended()).printed).toBe('You asked: May I? I am only an example, but I would wait.\n');
  await bot.stop();
});

test('an agent asks in 15 lines', () => {
  const [, , ...code] = readFileSync('examples/agent.mjs', 'utf8').trim().split('\n');
  expect(code.length).toBeLessThanOrEqual(15);
});

async function listOf(refCode: string): Promise<unknown> {
  const get = async (path: string) => {
    const response = await fetch(`${relay.gatewayUrl}/api/v1/${path}`, {
      headers: { 'x-api-key': tenant.providerKey },
    });
    return (await response.json()) as { requestId: string };
  };
  const { requestId } = await get(`requests/by-ref/${refCode}`);
  return await get(`messages/${requestId}`);
}
