import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { blocks } from './blocks.ts';
import { runExample } from './run-example.ts';

/* The commands of packages/cli/README.md for scripts, and of docs/ci.md, in a shell that ends at the first error, as CI systems start it. */

const page = 'packages/cli/README.md';
const jobPage = 'docs/ci.md';
let relay: Constellation;
let tenant: Tenant;
let expert: Expert;
let folder: string;

beforeEach(async () => {
  relay = await startConstellation();
  tenant = await relay.makeTenant();
  expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root: makeRoot() });
  folder = mkdtempSync(join(tmpdir(), 'relay-job-'));
});
afterEach(async () => {
  expert.stop();
  await relay.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a script on a machine of its own: its folders are empty. */
function runOn(machine: string, script: string, env: Record<string, string> = {}) {
  const home = join(folder, machine);
  mkdirSync(home);
  symlinkSync(join(process.cwd(), 'node_modules'), join(home, 'node_modules'));
  writeFileSync(join(home, 'deploy'), '#!/bin/sh\necho Deployed.\n', { mode: 0o755 });
  const { PATH = '' } = process.env;
  return runExample(
    ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
    {
      PATH: `${home}/node_modules/.bin:${PATH}`,
      HOME: home,
      CI: 'true',
      RELAY_URL: relay.gatewayUrl,
      RELAY_API_KEY: tenant.consumerKey,
      ...env,
    },
    home,
  );
}

/** The only request that is open. */
const openRequest = () =>
  eventually('a question', async () => {
    const [one] = await expert.list({ status: 'pending' });
    return one && (await expert.request(one.requestId));
  });

const decide = async (action: 'accept' | 'decline', comment: string) => {
  const request = await openRequest();
  const of = request.form?.of ?? '';
  await request.answer(comment, {
    decision: action === 'accept' ? { action, content: {}, of } : { action, of },
  });
};

test.each([
  ['accept', 0, 'Deployed.\n'],
  ['decline', 1, 'Declined: Not on a Friday.\n'],
] as const)('a script learns what was decided: %s', async (action, code, printed) => {
  const script = blocks(page, 'sh').find((block) => block.includes('case $code in')) ?? '';
  const running = runOn('laptop', script);
  await decide(action, 'Not on a Friday.');
  expect((await running.ended()).code).toBe(code);
  expect(running.stdout()).toBe(printed);
});

test('a job that is started again on another machine goes on with the same question', async () => {
  const [yaml = ''] = blocks(jobPage, 'yaml');
  const { env, steps } = parse(yaml).deploy;
  expect(Object.keys(env)).toEqual(['RELAY_URL', 'RELAY_API_KEY', 'RELAY_AGENT_SECRET', 'RELAY_EXPERT']);
  expect(steps[0]).toEqual({ uses: 'actions/checkout@v4' });
  const [install, ask, deploy] = steps.slice(1).map(({ run }: { run: string }) => run);
  expect(install).toMatch(/^npm install /);
  const job = {
    RELAY_AGENT_SECRET: Buffer.from(makeRoot()).toString('base64'),
    RELAY_EXPERT: (await expert.fingerprint()) ?? '',
    GITHUB_SHA: '8d6ea20c',
    GITHUB_RUN_ID: '4711',
  };
  const first = runOn('first', ask.replace('--wait 2h', '--wait 1s'), job);
  expect((await openRequest()).question).toBe('Deploy 8d6ea20c?');
  expect((await first.ended()).code).toBe(1);
  expect(first.stdout()).toBe('No decision (3).\n');
  const second = runOn('second', `${ask}\n${deploy}`, job);
  await decide('accept', 'Fine.');
  expect(await second.ended()).toEqual({ code: 0, printed: 'Approved. Fine.\nDeployed.\n' });
  expect(await runOn('third', ask, job).ended()).toEqual({ code: 0, printed: 'Approved. Fine.\n' });
  expect(await expert.list()).toHaveLength(1);

  const other = runOn('fourth', ask, { ...job, GITHUB_RUN_ID: '4712' });
  await decide('decline', 'Not on a Friday.');
  expect((await other.ended()).code).toBe(1);
  expect(other.stdout()).toBe('Declined: Not on a Friday.\n');
});
