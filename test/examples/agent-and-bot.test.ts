import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { makeAgentKeys } from '@expert-relay/sdk/crypto/wire';
import { createExpert } from '@expert-relay/sdk/expert';
import { createFileStore } from '@expert-relay/sdk/node';
import { eventually, startLyingRelay } from '@expert-relay/testkit';
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
const startAgent = (...command: [string, ...string[]]) => runExample(command, env(tenant.consumerKey));

test('examples/expert-bot.mjs: answers examples/agent.mjs encrypted, and keeps its key after a restart', async () => {
  const bot = startBot();
  const [, fingerprint] = await bot.untilPrinted(/I am ((\d{5} ?){8})\./);

  const agent = startAgent('node', 'examples/agent.mjs', 'Is 42 the answer?');
  const [, refCode = ''] = await agent.untilPrinted(/Asked as (HS-\w+)\./);
  expect(await agent.ended()).toEqual({
    code: 0,
    printed: 'You asked: Is 42 the answer? I am only an example, but I would wait.\n',
  });
  await bot.untilPrinted(new RegExp(`${refCode} is answered`));
  expect(await listOf(refCode)).toMatchObject({
    status: 'closed',
    messages: [
      { role: 'provider', encrypted: { ciphertext: expect.any(String) }, signature: expect.any(String) },
    ],
  });
  await bot.stop();

  expect(statSync(join(folder, 'bot/root.value')).mode & 0o777).toBe(0o600);
  const again = startBot();
  expect((await again.untilPrinted(/I am ((\d{5} ?){8})\./))[1]).toBe(fingerprint);
  await again.stop();
  // The bot stores the keys of the request for its next start.
  const kept = await keptRequests();
  expect(new Set([...kept.values()].map(({ requestId }) => requestId)).size).toBe(1);
});

test('examples/approval-bot.mjs: approves for examples/approve.mjs what its rule allows, and leaves the rest to a person', async () => {
  const { consumerKey, providerKey } = await relay.makeTenant();
  const bot = runExample(['node', 'examples/approval-bot.mjs'], {
    ...env(providerKey),
    BOT_FOLDER: join(folder, 'approval-bot'),
  });
  await bot.untilPrinted(/I am ((\d{5} ?){8})\./);
  const ask = (question: string) =>
    runExample(['node', 'examples/approve.mjs', question], { ...env(consumerKey), BOT_FOLDER: '' });
  expect(await ask('Restart api in staging?').ended()).toEqual({
    code: 0,
    printed: 'Approved. Approved by a rule: staging may be restarted.\n',
  });
  // Each looks allowed, and is not: another verb, another place, and more than the rule allows.
  const questions = [
    'Delete api in staging?',
    'Restart api in production?',
    'Restart api in staging? And prod?',
  ];
  const person = createExpert({ url: relay.gatewayUrl, apiKey: providerKey, root: makeRoot() });
  const asking = createRelay({ url: relay.gatewayUrl, apiKey: consumerKey, acceptNewExpert: true });
  for (const question of questions) {
    const approving = asking.approve(question, { timeoutMs: 60_000 });
    const refCode = await eventually('the question', async () => {
      const [newest] = await asking.requests();
      return newest?.question === question ? newest.refCode : undefined;
    });
    await bot.untilPrinted(new RegExp(`${refCode} is left to a person`));
    await (await person.request(refCode)).answer('No.', { decision: { action: 'decline' } });
    expect(await approving).toMatchObject({ approved: false, comment: 'No.' });
  }
  asking.stop();
  person.stop();
  await bot.stop();
});

test('examples/expert-bot.mjs: refuses a request whose keys differ from those before its restart', async () => {
  const first = startBot();
  await first.untilPrinted(/I am/);
  const before = await keptRequests();
  const agent = createRelay({ url: relay.gatewayUrl, apiKey: tenant.consumerKey });
  const { refCode, requestId } = await agent.ask({ question: 'Still me?' });
  await first.untilPrinted(new RegExp(`${refCode} is answered`));
  await first.stop();
  agent.stop();
  const { signPublic, encryptPublic } = await makeAgentKeys();
  const keys = { sign: signPublic.pem, encrypt: encryptPublic.pem };
  for (const [name, request] of await keptRequests()) {
    if (!before.has(name)) await botStore().set(name, JSON.stringify({ ...request, keys }));
  }
  // With a response count the bot would skip the request.
  const lyingRelay = await startLyingRelay(relay);
  lyingRelay.tell({
    answer(answer, { path }) {
      if (path.includes(`/messages/${requestId}`)) answer.responseCount = 0;
      return answer;
    },
  });
  const again = runExample(['node', 'examples/expert-bot.mjs', '--all'], {
    ...env(tenant.providerKey),
    RELAY_URL: lyingRelay.url,
  });
  await again.untilPrinted(new RegExp(`${refCode} is not answered\\. The keys of this conversation`));
  await again.stop();
  await lyingRelay.stop();
});

test('examples/restarting-agent.mjs: asks once, however often it is killed', async () => {
  const question = 'Deploy 4711?';
  const start = () =>
    runExample(['node', 'examples/restarting-agent.mjs', 'deploy 4711', question], {
      ...env(tenant.consumerKey),
      AGENT_FOLDER: join(folder, 'agent'),
    });
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root: makeRoot() });
  const asked = async () => (await expert.list()).filter((one) => one.question === question);
  for (const _kill of [1, 2]) {
    const killed = start();
    await eventually('the question', async () => (await asked()).length > 0);
    await killed.stop();
  }
  const [one] = await asked();
  const request = await expert.request(one?.requestId ?? '');
  await request.answer('Yes.', {
    decision: { action: 'accept', content: {}, of: request.form?.of ?? '' },
  });
  for (const _run of [1, 2]) expect(await start().ended()).toEqual({ code: 0, printed: 'Approved. Yes.\n' });
  expect(await asked()).toHaveLength(1);
  expert.stop();
});

test('examples/expert-bot.mjs: answers examples/agent.sh in plain text only with --plaintext', async () => {
  const strict = startBot();
  await strict.untilPrinted(/I am/);
  const unanswered = startAgent('bash', 'examples/agent.sh', 'May I?');
  await strict.untilPrinted(/is not answered\. The agent has no keys/);
  await unanswered.stop();
  await strict.stop();
  const bot = startBot('--plaintext');
  await bot.untilPrinted(/I am/);
  const agent = startAgent('bash', 'examples/agent.sh', 'May I?');
  expect((await agent.ended()).printed).toBe('You asked: May I? I am only an example, but I would wait.\n');
  await bot.stop();
});

test.each(['examples/agent.mjs', 'examples/expert-bot.mjs'])(
  '%s: names the setting that is missing',
  async (path) => {
    const { code, printed } = await runExample(['node', path], {}).ended();
    expect({ code, printed }).toEqual({
      code: 2,
      printed: expect.stringMatching(/^Set RELAY_API_KEY to .*\.\n$/),
    });
  },
);

test('examples/agent.mjs: has at most 15 lines of code', () => {
  const lines = readFileSync('examples/agent.mjs', 'utf8').trim().split('\n');
  const code = lines.filter((line) => !line.startsWith('//'));
  expect(code.length).toBeLessThanOrEqual(15);
});

const botStore = () => createFileStore(join(folder, 'bot'));

/** The values in which the bot stores the keys of requests: two for each, under its code and under its id. */
async function keptRequests(): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const store = botStore();
  const kept = new Map<string, Record<string, unknown>>();
  for (const name of await store.names('')) {
    const value = (await store.get(name)) ?? '';
    if (value.includes('PUBLIC KEY')) kept.set(name, JSON.parse(value));
  }
  return kept;
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
