import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { findPythonWithPackages } from '../../../scripts/python/find-python.ts';
import { whyMissing } from '../../../scripts/servers/find-tool.ts';
import { testUnless } from '../../../scripts/testing/test-unless.ts';
import { installPackages, nodePackage } from '../install-examples.ts';
import { runExample } from '../run-example.ts';

/* `relay mcp` with the official clients and the Inspector: RELAY_TEST_MCP=true npm run test:all -- mcp-clients */

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const isOn = process.env.RELAY_TEST_MCP === 'true';
const left = { missing: 'RELAY_TEST_MCP is not "true": the clients, with a later Node, take 400 MB' };
const packages = {
  '@modelcontextprotocol/inspector': '2.12.0',
  '@modelcontextprotocol/sdk': '1.32.2',
  'gpt-tokenizer': '4.0.0',
  [nodePackage]: '22.23.5',
};
const npm = isOn ? await installPackages(packages) : left;
const python = isOn ? await findPythonWithPackages(here('requirements.txt')) : left;
const testWithNpm = testUnless('missing' in npm ? npm.missing : undefined);
const testWithPython = testUnless(whyMissing(python));
const { folder: installed, node } = 'missing' in npm ? { folder: '', node: '' } : npm;

let relay: Constellation;
let folder: string;
let expert: Expert;
/** Of the agent. */
let variables: Readonly<Record<string, string>>;
/** The settings that `relay mcp config claude-code` prints. */
let config: string;

async function relayPrints(...args: readonly string[]): Promise<string> {
  const run = runExample(['node', 'packages/cli/bin/relay.mjs', ...args], variables);
  const { code, printed } = await run.ended();
  if (code !== 0) throw new Error(printed);
  return printed;
}

beforeAll(async () => {
  relay = await startConstellation();
  folder = mkdtempSync(join(tmpdir(), 'relay-mcp-clients-'));
  const { consumerKey, providerKey } = await relay.makeTenant();
  expert = createExpert({ url: relay.gatewayUrl, apiKey: providerKey, root: makeRoot() });
  variables = { RELAY_URL: relay.gatewayUrl, RELAY_API_KEY: consumerKey };
  const settings = JSON.parse(await relayPrints('mcp', 'config', 'claude-code'));
  settings.mcpServers['expert-relay'].env.RELAY_CONFIG_DIR = join(folder, 'config');
  config = join(folder, 'mcp.json');
  writeFileSync(config, JSON.stringify(settings));
});

afterAll(async () => {
  expert.stop();
  rmSync(folder, { recursive: true });
  await relay.stop();
});

const names = ['ask_expert', 'wait_for_answer', 'reply', 'conversation_status', 'close'];

/** What an agent's program has seen: the tools, and the answer to a question for an approval. */
interface Seen {
  readonly tools: readonly string[];
  readonly answer: string;
  /** Of the protocol, where the library says it. */
  readonly revision?: string | undefined;
}

/** The official libraries of both versions have these in common. */
type AnyClient = Pick<Client, 'connect' | 'listTools' | 'callTool' | 'close'> &
  Partial<Pick<Client, 'getNegotiatedProtocolVersion'>>;

/** Starts the server as the settings say. `call` returns the text of a tool's result. */
async function connect(client: AnyClient, Transport: typeof StdioClientTransport) {
  const { command, args, env } = JSON.parse(readFileSync(config, 'utf8')).mcpServers['expert-relay'];
  await client.connect(new Transport({ command, args, env: { PATH: process.env.PATH, ...env } }));
  return {
    client,
    async call(name: string, input: Record<string, unknown>): Promise<string> {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const [first] = content as { text: string }[];
      if (isError || !first) throw new Error(JSON.stringify(content));
      return first.text;
    },
  };
}

async function askWith(client: AnyClient, Transport: typeof StdioClientTransport): Promise<Seen> {
  const { call } = await connect(client, Transport);
  const { tools } = await client.listTools();
  const asked = await call('ask_expert', { question: 'May I?', form: { type: 'object', properties: {} } });
  const reference = /HS-\w{8}/.exec(asked)?.[0];
  let answer = '';
  while (!/^Outcome: (accepted|declined|closed|expired)/.test(answer))
    answer = await call('wait_for_answer', { reference, max_seconds: 40 });
  await call('close', { reference });
  const revision = client.getNegotiatedProtocolVersion?.();
  await client.close();
  return { tools: tools.map(({ name }) => name), answer, revision };
}

/** An agent's program asks, the expert approves, and the program gets it. */
async function isApproved(program: Promise<Seen>): Promise<void> {
  const before = new Set(known);
  const asked = async () => (await expert.list()).find(({ requestId }) => !before.has(requestId));
  const question = eventually('the question', asked);
  const { requestId } = await Promise.race([question, program.then(() => question)]);
  known.push(requestId);
  const request = await expert.request(requestId);
  const { of = '' } = request.form ?? {};
  await request.answer('', { decision: { action: 'accept', content: {}, of } });
  const { tools, answer } = await program;
  expect(tools).toEqual(names);
  expect(answer).toMatch(/^Outcome: accepted\nThe expert has approved HS-/);
}

const known: string[] = [];

describe('relay mcp', () => {
  test.each(['2025-11-25', '2026-07-28'])(
    'is used by the official client of TypeScript 2, revision %s',
    async (revision) => {
      const mode = revision === '2025-11-25' ? 'legacy' : 'auto';
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const seen = askWith(client, StdioClientTransport);
      await isApproved(seen);
      expect(await seen).toMatchObject({ revision });
    },
    240_000,
  );

  testWithNpm(
    'is used by the official client of TypeScript 1',
    async () => {
      const sdk = join(installed, 'node_modules/@modelcontextprotocol/sdk/dist/esm/client');
      const { Client: First } = await import(join(sdk, 'index.js'));
      const { StdioClientTransport: FirstTransport } = await import(join(sdk, 'stdio.js'));
      await isApproved(askWith(new First({ name: 'test', version: '1' }), FirstTransport));
    },
    240_000,
  );

  testWithPython(
    'is used by the official client of Python',
    async () => {
      const program = 'program' in python ? python.program : '';
      const running = runExample([program, here('client.py'), config], { HOME: folder });
      const seen = running.ended().then(({ code, printed }): Seen => {
        if (code !== 0) throw new Error(printed);
        return JSON.parse(printed);
      });
      await isApproved(seen);
    },
    240_000,
  );

  testWithNpm(
    'costs in a waiting hour what docs/mcp.md says',
    async () => {
      const tokenizer = 'node_modules/gpt-tokenizer/esm/encoding/o200k_base.js';
      const { countTokens } = await import(join(installed, tokenizer));
      const { client, call } = await connect(
        new Client({ name: 'test', version: '1' }),
        StdioClientTransport,
      );
      const list = JSON.stringify({ tools: (await client.listTools()).tools });
      const reference = /HS-\w{8}/.exec(await call('ask_expert', { question: 'May I?' }))?.[0] ?? '';
      const waited = await call('wait_for_answer', { reference, max_seconds: 1 });
      await client.close();
      expect(waited).toMatch(/^Outcome: still_waiting\n/);
      // Codes and times have different numbers of tokens.
      const result = waited
        .replaceAll(reference, 'HS-7KQ2M9XD')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-12-03T09:41:05.123Z');
      const made = JSON.stringify({ name: 'wait_for_answer', arguments: { reference: 'HS-7KQ2M9XD' } });
      const tokens = countTokens(made) + countTokens(result);
      const waits = new Map<number, string[]>();
      const unsaid = /(\d+)s by default/.exec(await relayPrints('help', 'mcp'))?.[1];
      for (const name of ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex']) {
        const settings = await relayPrints('mcp', 'config', name);
        const wait = Number(/"--max-wait",\s*"(\d+)s"/.exec(settings)?.[1] ?? unsaid);
        waits.set(wait, [...(waits.get(wait) ?? []), `\`${name}\``]);
      }
      const rows = [...waits].map(([wait, names]) => {
        const calls = 3_600 / wait;
        return `| ${names.join(', ')} | ${wait} s | ${calls} | ${calls * tokens} |`;
      });
      const sentence = `The list of the tools has ${list.length} bytes, which are ${countTokens(list)} tokens`;
      process.stdout.write(`${[...rows, sentence].join('\n')}\n`);
      const page = readFileSync('docs/mcp.md', 'utf8').replaceAll(/ +/g, ' ').replaceAll('\n', ' ');
      for (const said of [...rows, sentence]) expect(page).toContain(said);
    },
    240_000,
  );

  testWithNpm(
    'is clean for the Inspector, which calls a tool',
    async () => {
      const inspector = join(
        installed,
        'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
      );
      const inspect = (...args: string[]) =>
        runExample([node, inspector, '--cli', '--config', config, '--server', 'expert-relay', ...args], {
          HOME: folder,
        }).ended();
      const listed = await inspect('--method', 'tools/list', '--strict');
      expect(listed).toMatchObject({ code: 0 });
      expect(JSON.parse(listed.printed).tools.map(({ name }: { name: string }) => name)).toEqual(names);
      const called = await inspect('--method', 'tools/call', '--tool-name', 'conversation_status');
      expect(called).toMatchObject({ code: 0, printed: expect.stringContaining('Next: ') });
    },
    240_000,
  );
});
