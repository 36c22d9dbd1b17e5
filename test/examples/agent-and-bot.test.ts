import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import { makeAgentKeys } from '@expert-relay/sdk/crypto';
import { startLyingRelay } from '@expert-relay/testkit';
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
  BOT_FOLDER: join(folder, 'bot'),
});
const startBot = (...options: string[]) =>
  runExample(['node', 'examples/expert-bot.mjs', ...options], env(tenant.providerKey));
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

  expect(statSync(join(folder, 'bot/root')).mode & 0o777).toBe(0o600);
  const again = startBot();
  expect((await again.says(/I am ((\d{5} ?){8})\./))[1]).toBe(fingerprint);
  await again.stop();
  // What it keeps of the request, for the next start.
  expect(keptRequests()).toHaveLength(1);
});

test('the bot refuses a request whose keys are others than before it was started again', async () => {
  const first = startBot();
  await first.says(/I am/);
  const before = new Set(keptRequests());
  const agent = createRelay({ url: relay.gatewayUrl, apiKey: tenant.consumerKey });
  const { refCode, requestId } = await agent.ask({ question: 'Still me?' });
  await first.says(new RegExp(`${refCode} is answered`));
  await first.stop();
  agent.stop();
  const [path = ''] = keptRequests().filter((one) => !before.has(one));
  const kept = JSON.parse(readFileSync(path, 'utf8'));
  const { signPublic, encryptPublic } = await makeAgentKeys();
  writeFileSync(
    path,
    JSON.stringify({ ...kept, keys: { sign: signPublic.pem, encrypt: encryptPublic.pem } }),
  );
  // Else it is no news to the bot.
  const liar = await startLyingRelay(relay);
  liar.tell({
    answer(answer, { path }) {
      if (path.includes(`/messages/${requestId}`)) answer.responseCount = 0;
      return answer;
    },
  });
  const again = runExample(['node', 'examples/expert-bot.mjs'], {
    ...env(tenant.providerKey),
    RELAY_URL: liar.url,
  });
  await again.says(new RegExp(`${refCode} is not answered\\. The keys of this conversation`));
  await again.stop();
  await liar.stop();
});

test('the bot answers the agent of bare curl in plain text only when told to', async () => {
  const strict = startBot();
  await strict.says(/I am/);
  const unanswered = ask('bash', 'examples/agent.sh', 'May I?');
  await strict.says(/is not answered\. The agent has no keys/);
  await unanswered.stop();
  await strict.stop();
  const bot = startBot('--plaintext');
  const agent = ask('bash', 'examples/agent.sh', 'May I?');
  expect((await agent.ended()).printed).toBe('You asked: May I? I am only an example, but I would wait.\n');
  await bot.stop();
});

test('an agent asks in 15 lines', () => {
  const [, , ...code] = readFileSync('examples/agent.mjs', 'utf8').trim().split('\n');
  expect(code.length).toBeLessThanOrEqual(15);
});

/** The files in which the bot remembers the keys of requests. */
function keptRequests(): string[] {
  const files = readdirSync(join(folder, 'bot')).map((name) => join(folder, 'bot', name));
  return files.filter((file) => file.endsWith('.txt') && readFileSync(file, 'utf8').includes('PUBLIC KEY'));
}

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
