import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CommandRunner, createCommandRunner } from '../testing/command-runner.ts';
import { clients, configFor } from './client-config.ts';

const env = { RELAY_URL: 'https://relay.example.com', RELAY_API_KEY: `hs_${'0'.repeat(38)}` };
const start = { command: '/usr/bin/node', args: ['/opt/relay.mjs', 'mcp'], env, longestWait: 600 };
const { longestWait: _none, ...server } = start;

let runner: CommandRunner;
beforeAll(async () => {
  runner = await createCommandRunner();
});
afterAll(() => runner.stop());

test.each(Object.keys(clients).filter((client) => client !== 'codex'))(
  'the block of %s starts the server',
  (client) => {
    const { block, about } = configFor(client, start);
    const { mcpServers, servers } = JSON.parse(block);
    expect((mcpServers ?? servers)['expert-relay']).toMatchObject(server);
    expect(about).toMatch(/^This goes into /);
  },
);

test('the block of codex is TOML, with a limit that is longer than the wait', () => {
  expect(configFor('codex', start).block.split('\n')).toEqual([
    '[mcp_servers.expert-relay]',
    'command = "/usr/bin/node"',
    'args = ["/opt/relay.mjs","mcp"]',
    `env = { RELAY_URL = "https://relay.example.com", RELAY_API_KEY = "${env.RELAY_API_KEY}" }`,
    'tool_timeout_sec = 610',
  ]);
  expect(configFor('claude-code', start).about).toContain('MCP_TOOL_TIMEOUT=610000');
});

test('relay mcp config prints the block with the settings of the environment, and refuses what it does not know', async () => {
  const run = (...words: string[]) => runner.run(['mcp', 'config', ...words], { env });
  const { code, stdout } = await run('vscode', '--max-wait', '10m', '--files', 'shots');
  const { type, args, env: given } = JSON.parse(stdout).servers['expert-relay'];
  expect({ code, type, args: args.slice(1), given }).toEqual({
    code: 0,
    type: 'stdio',
    given: env,
    args: ['mcp', '--files', expect.stringMatching(/\/shots$/), '--max-wait', '10m'],
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
