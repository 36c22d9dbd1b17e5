import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { makeRoot, openExpertKeys } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import { eventually, reservePort } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { root } from '../../../scripts/local/home.ts';
import { runCommand } from '../../../scripts/processes/run-command.ts';
import { testUnless } from '../../../scripts/testing/test-unless.ts';
import { type Installed, installExamples, nodePackage, type Packages } from '../install-examples.ts';
import { runExample } from '../run-example.ts';

/* examples/durable with the engines' own packages; with all of them: RELAY_TEST_DURABLE=true npm run test:all -- durable */

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { dependencies }: { dependencies: Packages } = JSON.parse(read('examples/durable/package.json'));
const hasAll = process.env.RELAY_TEST_DURABLE === 'true';
const isRun = ([name]: readonly [string, string]) =>
  name !== '@expert-relay/sdk' && (hasAll || !/^@(temporalio|trigger\.dev)\//.test(name));
const packages = {
  ...Object.fromEntries(Object.entries(dependencies).filter(isRun)),
  '@inngest/test': '1.0.0',
  '@restatedev/restate-server': '1.7.12',
  '@types/node': '20.19.43',
  [nodePackage]: '22.23.5',
};
const installed = await installExamples(packages, { from: 'durable', own: ['sdk'] });
const missing = 'missing' in installed ? installed.missing : undefined;
const testInstalled = testUnless(missing);
const testAll = testUnless(hasAll ? missing : 'RELAY_TEST_DURABLE is not "true": the packages take 500 MB');
const { examples, node } = installed as Installed;
// The program itself: it would go on without the script that npm links to.
const restateServer = `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;

let relay: Constellation;
let folder: string;
beforeAll(async () => {
  if (examples) copyFileSync(new URL('run-inngest.mjs', import.meta.url), join(examples, 'run-inngest.mjs'));
  relay = await startConstellation();
  folder = mkdtempSync(join(tmpdir(), 'relay-durable-'));
});
afterAll(async () => {
  await relay.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('docs/durable.md has the example for Restate as it is', () => {
  expect(read('docs/durable.md')).toContain(read('examples/durable/restate.mjs').trim());
});

testInstalled('the examples have the types of their engines', async () => {
  const compilerOptions = {
    ...{ allowJs: true, checkJs: true, strict: true, noEmit: true, skipLibCheck: true },
    ...{ module: 'nodenext', target: 'es2023', types: ['node'] },
  };
  const run = ['inngest.mjs', 'restate.mjs', 'run-inngest.mjs'];
  const files = hasAll ? [...run, 'temporal.mjs', 'temporal/workflows.mjs', 'trigger.mjs'] : run;
  writeFileSync(join(examples, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const failure = 'The examples for durable engines have wrong types.';
  await runCommand({ command: join(root, 'node_modules/.bin/tsc'), args: [], cwd: examples, failure });
});

/** An agent whose webhook is called at this address, and its expert. */
async function openParty(url: string) {
  const { consumerKey, providerKey } = await relay.makeTenant();
  const headers = { 'x-api-key': consumerKey };
  const expertRoot = makeRoot();
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: providerKey, root: expertRoot });
  const made = await fetch(`${relay.gatewayUrl}/api/v1/webhooks`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  const { id, secret } = (await made.json()) as { id: string; secret: string };
  const { fingerprint } = await openExpertKeys(expertRoot);
  return {
    env: {
      RELAY_URL: relay.gatewayUrl,
      RELAY_API_KEY: consumerKey,
      RELAY_EXPERT: fingerprint,
      RELAY_AGENT_SECRET: Buffer.from(makeRoot()).toString('base64'),
      WEBHOOK_SECRET: secret,
    },
    asked: async () =>
      await eventually('the question', async () => {
        const [listed] = await expert.list();
        return listed && (await expert.request(listed.requestId));
      }),
    async isDelivered(type: string) {
      const url = `${relay.gatewayUrl}/api/v1/webhooks/${id}/deliveries`;
      const { deliveries } = (await (await fetch(url, { headers })).json()) as {
        deliveries: readonly { readonly type: string; readonly state: string }[];
      };
      return deliveries.some((one) => one.type === type && one.state === 'delivered');
    },
    stop: () => expert.stop(),
  };
}

const otherSecret = `whsec_${Buffer.alloc(24).toString('base64')}`;

/** A webhook about the request `refused`. */
function signedBy(secret: string) {
  const [id, at] = ['msg_1', new Date()];
  const body = JSON.stringify({ type: 'message.created', data: { requestId: 'refused' } });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  return { method: 'POST', headers, body };
}

testInstalled('a function of Inngest waits for the event that the webhook becomes', async () => {
  const port = String(await reservePort());
  const url = `http://127.0.0.1:${port}/relay`;
  const { env, asked, stop } = await openParty(url);
  const running = runExample(['node', join(examples, 'run-inngest.mjs')], { ...env, PORT: port });
  const request = await asked();
  expect(request.question).toBe('Deploy 4711?');
  expect((await fetch(url, signedBy(otherSecret))).status).toBe(401);
  expect((await fetch(url, signedBy(env.WEBHOOK_SECRET))).status).toBe(503);
  await request.answer('Go.', { decision: { action: 'accept', content: {}, of: request.form?.of ?? '' } });
  const { code, printed } = await running.ended();
  expect({ code, printed }).toMatchObject({ code: 0 });
  const { requestId } = request;
  expect(JSON.parse(printed)).toMatchObject({
    waitsFor: { event: 'relay/answered', if: `async.data.requestId == "${requestId}"` },
    event: { name: 'relay/answered', data: { requestId } },
  });
  stop();
});

testAll('the route for Trigger.dev refuses a wrong signature, and reports what was not taken', async () => {
  const WEBHOOK_SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  // Without its key, the engine takes nothing.
  const program = `
    import { POST } from './trigger.mjs';
    const answers = JSON.parse(process.argv[1]).map((webhook) => POST(new Request('http://127.0.0.1/', webhook)));
    process.stdout.write(JSON.stringify((await Promise.all(answers)).map(({ status }) => status)));
  `;
  const webhooks = JSON.stringify([otherSecret, WEBHOOK_SECRET].map(signedBy));
  const args = ['--input-type=module', '-e', program, webhooks];
  const { code, printed } = await runExample(['node', ...args], { WEBHOOK_SECRET }, examples).ended();
  expect({ code, printed }).toEqual({ code: 0, printed: '[401,503]' });
});

testInstalled(
  'a run of Restate sleeps while its process is dead, and goes on when the webhook has come',
  async () => {
    const [ingress, admin, internal, service] = await Promise.all(
      Array.from({ length: 4 }, () => reservePort()),
    );
    const restate = runExample([join(examples, '..', restateServer), '--no-logo'], {
      RESTATE_BASE_DIR: join(folder, 'restate'),
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_ADDRESS: `127.0.0.1:${internal}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    });
    const { env, asked, isDelivered, stop } = await openParty(
      `http://127.0.0.1:${ingress}/webhooks/relay/send`,
    );
    const start = () => runExample([node, join(examples, 'restate.mjs')], { ...env, PORT: String(service) });
    const post = (url: string, body: object | string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': '4711' },
        body: JSON.stringify(body),
      });
    const isDone = (url: string, body: object | string) => async () =>
      (await post(url, body).catch(() => undefined))?.ok;
    let agent = start();
    try {
      const uri = `http://127.0.0.1:${service}`;
      await eventually('the services are known', isDone(`http://127.0.0.1:${admin}/deployments`, { uri }));
      const run = `http://127.0.0.1:${ingress}/deploys/deploy`;
      await eventually('the run has begun', isDone(`${run}/send`, '4711'));
      const request = await asked();
      await agent.stop('SIGKILL');
      const decision = { action: 'decline', of: request.form?.of ?? '' } as const;
      await request.answer('Not on a Friday.', { decision });
      await eventually('Restate has the webhook', async () => await isDelivered('message.created'));
      agent = start();
      // With the same key, it is the result of that run.
      expect(await (await post(run, '4711')).json()).toBe('Declined: Not on a Friday.');
    } finally {
      await agent.stop('SIGKILL');
      await restate.stop('SIGKILL');
      stop();
    }
  },
);
