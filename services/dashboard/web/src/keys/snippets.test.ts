import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { pythonForTests } from '@expert-relay/constellation/python';
import { makeRecoveryCode, makeRoot, sealVault } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KeyKind } from './key-calls.ts';
import { snippetsFor } from './snippets.ts';

// Runs the page's snippets unchanged. Only the npm packages come from this repository.
const cli = join(process.cwd(), 'packages/cli/bin/relay.mjs');
const { program: python, testWithPython } = await pythonForTests();
let relay: Constellation;
let folder: string;

beforeAll(async () => {
  relay = await startConstellation();
  // Within the repository, so that scripts find the SDK.
  folder = mkdtempSync(join(process.cwd(), '.relay-snippets-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await relay.stop();
});

function snippet(kind: KeyKind, name: string, { consumerKey, providerKey }: Tenant) {
  const secret = kind === 'consumer' ? consumerKey : providerKey;
  const found = snippetsFor({ kind, secret, url: relay.gatewayUrl, hasExpertKey: true }).find(
    (candidate) => candidate.name === name,
  );
  if (!found) throw new Error(`There is no snippet ${name}.`);
  return found.blocks.map(({ code }) => code);
}

/** Runs a block as a terminal would. */
function run(block: string, { input = '', device = 'one' } = {}): Promise<string> {
  const command = block.replaceAll('./node_modules/.bin/relay', `'${process.execPath}' '${cli}'`);
  return new Promise((resolve, reject) => {
    const child = execFile(
      'bash',
      ['-euc', command.replace(/^(npm install |python3 -m venv |pip install ).*\n/gm, '')],
      {
        cwd: folder,
        env: {
          PATH: `${dirname(python)}:${process.env.PATH}`,
          PYTHONPATH: join(process.cwd(), 'clients/python/src'),
          PYTHONDONTWRITEBYTECODE: '1',
          RELAY_CONFIG_DIR: join(folder, device),
          RELAY_HUB_URL: relay.hubUrl,
        },
      },
      (error, stdout, stderr) => (error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout)),
    );
    child.stdin?.end(input);
  });
}

/** The expert's key at the relay, and the expert in another program. */
async function makeExpert({ providerKey }: Tenant) {
  const [root, code] = [makeRoot(), await makeRecoveryCode()];
  await fetch(`${relay.gatewayUrl}/api/v1/vault`, {
    method: 'PUT',
    headers: { 'x-api-key': providerKey, 'content-type': 'application/json' },
    body: JSON.stringify({ vault: await sealVault(root, code) }),
  });
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: providerKey, root });
  return { code, expert };
}

/** Answers the first encrypted request that comes. */
async function answerOne({ expert }: Awaited<ReturnType<typeof makeExpert>>): Promise<void> {
  for await (const request of expert.requests()) {
    await request.pickUp();
    await request.answer('Yes, it is stale.');
    return;
  }
}

test('an agent asks by curl, and a script answers by curl', async () => {
  const tenant = await relay.makeTenant();
  const [ask = '', read = ''] = snippet('consumer', 'curl', tenant);
  const { requestId } = JSON.parse(await run(ask));
  const [list = '', answer = ''] = snippet('provider', 'curl', tenant);
  expect(JSON.parse(await run(list)).requests).toEqual([expect.objectContaining({ requestId })]);
  await run(answer.replace('REQUEST_ID', requestId));
  expect(JSON.parse(await run(read.replace('REQUEST_ID', requestId))).messages).toEqual([
    expect.objectContaining({ plaintext: 'Yes, it is stale.' }),
  ]);
});

test.each(['Command line', 'JavaScript'])(
  'an agent asks by %s, and gets the encrypted answer',
  async (name) => {
    const tenant = await relay.makeTenant();
    const blocks = snippet('consumer', name, tenant);
    const start = blocks.pop() ?? '';
    for (const script of blocks) writeFileSync(join(folder, 'ask.mjs'), script);
    const [said] = await Promise.all([
      run(start, { device: crypto.randomUUID() }),
      makeExpert(tenant).then(answerOne),
    ]);
    expect(said).toContain('Yes, it is stale.');
  },
);

testWithPython('an agent asks by Python, and gets the encrypted decision', async () => {
  const tenant = await relay.makeTenant();
  const [script = '', start = ''] = snippet('consumer', 'Python', tenant);
  writeFileSync(join(folder, 'ask.py'), script);
  const { expert } = await makeExpert(tenant);
  const asked = run(start);
  for await (const request of expert.requests()) {
    await request.answer('Yes, it is stale.', { decision: { action: 'accept', content: {} } });
    break;
  }
  expect(await asked).toBe('Approved. Yes, it is stale.\n');
});

test('the command line opens the key of the browser and answers', async () => {
  const tenant = await relay.makeTenant();
  const { code } = await makeExpert(tenant);
  const asked = run(snippet('consumer', 'Command line', tenant)[0] ?? '', { device: 'agent' });
  const [restore = '', , show = '', answer = ''] = snippet('provider', 'Command line', tenant);
  const waiting = snippet('provider', 'curl', tenant)[0] ?? '';
  const refCode: string = await eventually(
    'the question waits',
    async () => JSON.parse(await run(waiting)).requests[0]?.refCode,
  );
  const environment = restore.match(/^export .*$/gm)?.join('\n');
  const inTerminal = (block: string) =>
    run(`${environment}\n${block.replace('HS-7KQ2M9XD', refCode)}`, { device: 'script' });
  await run(restore, { input: `${code}\n`, device: 'script' });
  expect(await inTerminal(show)).toContain('May I remove the lock file?');
  await eventually('the answer is not too early', () =>
    inTerminal(answer).then(
      () => true,
      (error: Error) => {
        if (!error.message.includes('Not sent')) throw error;
        return false;
      },
    ),
  );
  expect(await asked).toContain('Yes, it is stale.');
});

test('a JavaScript script opens the key of the browser and answers', async () => {
  const tenant = await relay.makeTenant();
  const { code } = await makeExpert(tenant);
  const [script = '', start = ''] = snippet('provider', 'JavaScript', tenant);
  // Without the break it would wait for further requests.
  writeFileSync(join(folder, 'answer.mjs'), script.replace("('pong');", "('pong'); break;"));
  const ask = snippet('consumer', 'Command line', tenant)[0] ?? '';
  const [said] = await Promise.all([
    run(ask.replace(/ask ".*"/, 'ask ping'), { device: 'ping' }),
    run(start, { input: `${code}\n` }),
  ]);
  expect(said).toContain('pong');
});

test.each(['consumer', 'provider'] as const)(
  'before they are published, no snippet for a %s key asks npm for a package',
  (kind) => {
    const codeOf = (isPublished?: boolean) =>
      snippetsFor({ kind, secret: 'hs_secret', url: relay.gatewayUrl, hasExpertKey: true }, isPublished)
        .flatMap(({ blocks }) => blocks)
        .map(({ code }) => code)
        .join('\n');
    expect(codeOf()).not.toMatch(
      /npx|@expert-relay\/cli|npm install (?!(\.\/expert-relay-(sdk|cli)-\*\.tgz ?)+$)/m,
    );
    expect(codeOf()).not.toMatch(/pip install (?!\.\/expert_relay-\*\.whl$)/m);
    expect(codeOf(true)).toContain('npx -y @expert-relay/cli');
    expect(codeOf(true)).toContain('npm install @expert-relay/sdk');
    expect(codeOf(true)).not.toMatch(/tgz|whl/);
  },
);
