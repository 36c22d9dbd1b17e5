import { existsSync, readFileSync } from 'node:fs';
import { startConstellation } from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import { expect, test } from '@jest/globals';
import { blocks } from './blocks.ts';
import { runExample } from './run-example.ts';

const pages = [
  'docs/quickstart.md',
  'docs/ci.md',
  'docs/mcp.md',
  'docs/coding-agents.md',
  'docs/receipts.md',
];
const read = (page: string) => readFileSync(page, 'utf8');

/** Each `relay` command in the pages, with its options. */
function relayCommands(): [command: string, options: string[]][] {
  const spans = pages.flatMap((page) => [
    ...blocks(page, 'sh').flatMap((block) => block.split('\n')),
    ...[...read(page).matchAll(/`((?:npx )?relay [^`\n]+)`/g)].map(([, span = '']) => span),
  ]);
  return spans.flatMap((span): [string, string[]][] => {
    const [, command, rest = ''] = /(?:^|npx )relay ([a-z-]+)(.*)/.exec(span) ?? [];
    return command ? [[command, rest.match(/(?<= )--[a-z-]+/g) ?? []]] : [];
  });
}

async function helpOf(topic: string): Promise<string> {
  const { printed } = await runExample(['node', 'packages/cli/dist/relay.js', 'help', topic], {}).ended();
  return printed;
}

/** Each command in the pages once, with all its options. */
function namedCommands(): Map<string, Set<string>> {
  const commands = new Map<string, Set<string>>();
  for (const [command, options] of relayCommands()) {
    const known = commands.get(command) ?? new Set();
    for (const option of options) known.add(option);
    commands.set(command, known);
  }
  commands.delete('help');
  // The text names further options of `ask`.
  const others = read('docs/quickstart.md').match(/(?<=`)--[a-z-]+/g) ?? [];
  commands.set('ask', new Set([...(commands.get('ask') ?? []), ...others]));
  return commands;
}

test('docs/quickstart.md: the programs in its blocks exist', () => {
  const programs = blocks('docs/quickstart.md', 'sh').flatMap(
    (block) => block.match(/\b(?:examples|packages)\/[\w./-]+/g) ?? [],
  );
  expect(programs.length).toBeGreaterThan(0);
  expect(programs.filter((path) => !existsSync(path))).toEqual([]);
});

test('the pages: all commands and options exist', async () => {
  const commands = namedCommands();
  expect([...commands.keys()].sort()).toEqual([
    'answer',
    'approve',
    'ask',
    'doctor',
    'hook',
    'keys',
    'listen',
    'login',
    'mcp',
    'receipt',
    'show',
    'verify',
    'webhooks',
  ]);
  expect(commands.get('ask')).toContain('--confidential');
  const missing = [...commands].map(async ([command, options]) => {
    const help = await helpOf(command);
    return [`  relay ${command}`, ...[...options].map((option) => `  ${option}`)].filter(
      (line) => !help.includes(`\n${line}`),
    );
  });
  expect((await Promise.all(missing)).flat()).toEqual([]);
});

test('the pages: all variables are documented', async () => {
  const known = await helpOf('environment');
  const named = pages.flatMap((page) => read(page).match(/\bRELAY_[A-Z_]+/g) ?? []);
  // Variables of the services.
  const configuration = readFileSync('docs/configuration.md', 'utf8');
  expect(named.filter((name) => !known.includes(name) && !configuration.includes(`\`${name}\``))).toEqual([]);
});

test('docs/mcp.md: its configuration is as `relay mcp config` prints it, with a profile in place of a key', async () => {
  const [settings, ...others] = blocks('docs/mcp.md', 'json').map((block) => JSON.parse(block));
  const { args, env, timeout } = settings.mcpServers['expert-relay'];
  const variables = { RELAY_URL: 'https://relay.example.com', RELAY_API_KEY: `hs_${'0'.repeat(38)}` };
  const run = ['node', 'packages/cli/bin/relay.mjs', 'mcp', 'config', 'claude-code'] as const;
  const printed = JSON.parse((await runExample(run, variables).ended()).printed).mcpServers['expert-relay'];
  const [, verb, ...options] = printed.args;
  expect(args.slice(1)).toEqual([verb, '--profile', 'agent', ...options]);
  expect({ timeout, others }).toEqual({ timeout: printed.timeout, others: [] });
  expect(Object.keys(env)).toEqual(['RELAY_CONFIG_DIR']);
});

test('docs/quickstart.md: its program runs unchanged', async () => {
  const relay = await startConstellation();
  try {
    const { consumerKey, providerKey } = await relay.makeTenant();
    const expert = createExpert({ url: relay.gatewayUrl, apiKey: providerKey, root: makeRoot() });
    const [code = ''] = blocks('docs/quickstart.md', 'js');
    const running = runExample(['node', '--input-type=module', '--eval', code], {
      RELAY_URL: relay.gatewayUrl,
      RELAY_API_KEY: consumerKey,
    });
    for await (const request of expert.requests()) {
      await request.answer('Yes, it is stale.');
      break;
    }
    expect(await running.ended()).toEqual({
      code: 0,
      printed: `Yes, it is stale. sequenced ${await expert.fingerprint()}\n`,
    });
    expert.stop();
  } finally {
    await relay.stop();
  }
});
