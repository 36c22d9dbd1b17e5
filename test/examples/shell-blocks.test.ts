import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { clockAhead, reservePort } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { writeDevJson } from '../../scripts/local/dev-json.ts';
import { openHome } from '../../scripts/local/home.ts';
import { readTree } from '../rules/tree.ts';
import { blocks } from './blocks.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/* The shell blocks of README.md, docs/quickstart.md and docs/administration.md work, unchanged and in their order. */

jest.setTimeout(600_000);

let relay: Constellation;
let folder: string;
let terminals: Terminal[];
let port: number;

beforeAll(async () => {
  relay = await startConstellation();
});
afterAll(() => relay.stop());

beforeEach(async () => {
  terminals = [];
  // For the web server of examples/browser, since its default port may be in use.
  port = await reservePort();
  folder = mkdtempSync(join(tmpdir(), 'relay as typed-'));
  for (const name of ['examples', 'node_modules', 'packages', 'services']) {
    symlinkSync(join(process.cwd(), name), join(folder, name));
  }
  mkdirSync(join(folder, 'home'));
  const { gatewayUrl, hubUrl, databaseUrl } = relay;
  const servers = { databaseUrl, redisUrl: '', natsUrl: '', opsUrls: {} };
  const tenant = await relay.makeTenant();
  const run = { gatewayUrl, hubUrl, dashboardUrl: gatewayUrl, ...tenant, ...servers };
  writeDevJson(openHome(join(folder, '.relay'), { RELAY_CACHE: join(folder, 'cache') }), run, []);
});
afterEach(async () => {
  for (const terminal of terminals) await terminal.close();
  rmSync(folder, { recursive: true });
});

function terminal(clock: Readonly<Record<string, string>> = {}): Terminal {
  const opened = openTerminal(folder, { HOME: join(folder, 'home'), PORT: String(port), ...clock });
  terminals.push(opened);
  return opened;
}

/** A terminal with this clock answers what the others have just shown: a user has read it before. */
const afterReading = clockAhead(60_000);

/** Replaces the sample reference code by the one that was printed. */
const withCode = (block: string, code = ''): string => block.replaceAll('HS-7KQ2M9XD', code);

test('README.md: all shell blocks work', async () => {
  const [clone, ask = '', pack, ...unknown] = blocks('README.md', 'sh');
  // CI runs these two in a fresh clone.
  expect(clone).toMatch(/^git clone .*\nnpm start\n$/);
  expect(pack).toContain('npm run pack');
  expect(unknown).toEqual([]);

  const [agent, expert, second] = [terminal(), terminal(), terminal(afterReading)];
  const [, code = ''] = await agent.runUntil(ask, /(HS-\w{8})/);
  // Test web-app.test.ts approves in the web app.
  await expert.run(`source .relay/expert.env; npx relay keys make; npx relay show ${code}`);
  expect(await second.run(`source .relay/expert.env; npx relay answer ${code} --approve`)).not.toContain(
    '[failed',
  );
  expect(await agent.ended()).toMatch(/^Now it may be removed\.$/m);
});

test('docs/administration.md: all shell blocks work', async () => {
  const [createUser = '', otherCommands = '', ...unknown] = blocks('docs/administration.md', 'sh');
  expect(unknown).toEqual([]);
  const opened = terminal();
  const created = await opened.run(createUser);
  const [, user = ''] = /([0-9a-f]{8}-[0-9a-f-]{27})/.exec(created) ?? [];
  expect(created).not.toContain('[failed');
  expect(await opened.run(otherCommands.replaceAll('USER_ID', user))).not.toContain('[failed');
});

test('docs/quickstart.md: all shell blocks work', async () => {
  const [
    start,
    listen = '',
    agentEnv = '',
    approve = '',
    approval = '',
    ask = '',
    answer = '',
    program = '',
    curl = '',
    inPlainText = '',
    ...rest
  ] = blocks('docs/quickstart.md', 'sh');
  const [page = '', bot = '', doctor = '', ...unknown] = rest;
  expect(start).toBe('npm start\n');
  expect(unknown).toEqual([]);

  const [expert, agent, second] = [terminal(), terminal(), terminal(afterReading)];
  await expert.runUntil(listen, /Listening as/);
  await agent.run(agentEnv);
  for (const [question, reply] of [
    [approve, approval],
    [ask, answer],
    [program, answer],
    [curl, `${answer.split('\n')[0]}\n${inPlainText}`],
  ] as const) {
    const [, code] = await agent.runUntil(question, /(HS-\w{8})/);
    expect(await second.run(withCode(reply, code))).not.toContain('[failed');
    expect(await agent.ended()).toMatch(/^Yes, it is stale\.$/m);
  }

  await agent.runUntil(page, /Open http:/);
  await agent.interrupt();
  await second.runUntil(bot, /Waiting for requests/);
  await second.interrupt();
  expect(await agent.run(doctor)).not.toContain('[failed');
});

test('no page names the local relay by another address than npm start prints', () => {
  const pages = [...readTree()].filter(([path]) =>
    /^(README\.md|Tiltfile|docs\/.*|examples\/.*|packages\/.*\.md)$/.test(path),
  );
  const others = pages.filter(
    ([path, text]) => path !== 'docs/openapi.yaml' && /http:\/\/(localhost|\[::1\]):80/.test(text),
  );
  expect(others.map(([path]) => path)).toEqual([]);
  expect(readFileSync('docs/openapi.yaml', 'utf8').match(/http:\/\/localhost:80/g) ?? []).toHaveLength(1);
});
