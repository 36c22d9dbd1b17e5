import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openProfiles } from '../store/profiles.ts';
import { type CommandRunner, createCommandRunner } from '../testing/command-runner.ts';
import { configFor } from './client-config.ts';

const env = { RELAY_URL: 'https://relay.example.com', RELAY_API_KEY: `hs_${'0'.repeat(38)}` };
const start = { command: '/usr/bin/node', args: ['/opt/relay.mjs', 'mcp'], env };

let runner: CommandRunner;
beforeAll(async () => {
  runner = await createCommandRunner();
});
afterAll(() => runner.stop());

test.each([
  ['claude-code', ['--max-wait', '3600s'], 3_610_000],
  ['claude-desktop', [], undefined],
  ['cursor', [], undefined],
  ['vscode', ['--max-wait', '240s'], undefined],
])('the block of %s starts the server, which waits as long as the client allows', (client, wait, timeout) => {
  const { block } = configFor(client, start);
  const { mcpServers, servers } = JSON.parse(block);
  const server = (mcpServers ?? servers)['expert-relay'];
  expect(server).toMatchObject({ ...start, args: [...start.args, ...wait] });
  expect(server.timeout).toBe(timeout);
});

test('the block of codex is TOML, with a limit that is longer than the wait', () => {
  expect(configFor('codex', start, 600).block.split('\n')).toEqual([
    '[mcp_servers.expert-relay]',
    'command = "/usr/bin/node"',
    'args = ["/opt/relay.mjs","mcp","--max-wait","600s"]',
    `env = { RELAY_URL = "https://relay.example.com", RELAY_API_KEY = "${env.RELAY_API_KEY}" }`,
    'tool_timeout_sec = 610',
  ]);
});

test('relay mcp config prints the block with the settings of the environment, and refuses what it does not know', async () => {
  const run = (...words: string[]) => runner.run(['mcp', 'config', ...words], { env });
  const { code, stdout } = await run('vscode', '--max-wait', '10m', '--files', 'shots');
  const { type, args, env: given } = JSON.parse(stdout).servers['expert-relay'];
  expect({ code, type, args: args.slice(1), given }).toEqual({
    code: 0,
    type: 'stdio',
    given: env,
    args: ['mcp', '--files', expect.stringMatching(/\/shots$/), '--max-wait', '600s'],
  });
  expect(await run('emacs')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Clients: claude-code, claude-desktop, cursor, vscode, codex.'),
  });
  const expert = { ...env, RELAY_API_KEY: `hs_prov_${'0'.repeat(38)}` };
  expect(await runner.run(['mcp', 'config', 'cursor'], { env: expert })).toMatchObject({
    code: 2,
    stdout: '',
  });
});

test('the block of a stored profile has no key', async () => {
  const folder = `${runner.folder}/profile`;
  const key = env.RELAY_API_KEY;
  const profile = { url: env.RELAY_URL, apiKey: key, expert: ['1'.repeat(40)] };
  await openProfiles(folder).write('agent', profile);
  const { stdout, stderr } = await runner.run(['mcp', 'config', 'codex'], {
    env: { RELAY_CONFIG_DIR: folder },
  });
  expect(stdout).toContain('"mcp","--profile","agent"');
  expect(stdout).toContain(`env = { RELAY_CONFIG_DIR = "${folder}", RELAY_EXPERT = "${'1'.repeat(40)}" }`);
  expect(stdout + stderr).not.toContain(key);
});
