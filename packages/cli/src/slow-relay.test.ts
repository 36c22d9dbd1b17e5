import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CommandRunner, createCommandRunner } from './testing/command-runner.ts';
import { type McpClient, startMcpClient } from './testing/mcp-client.ts';

const bundle = { quick: 'limits' } as const;

/** How a server can keep a client waiting. */
const ways = {
  'never answers': () => {},
  'sends nothing after the head': (response: ServerResponse) => {
    response.flushHeaders();
  },
  'sends a byte now and then': (response: ServerResponse) => {
    const timer = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(timer));
  },
};
type Way = keyof typeof ways;
const allWays = Object.keys(ways) as Way[];

/** What a relay answers where it is not slow. */
const answers: Readonly<Record<string, object>> = {
  '/api/health': { status: 'ok', version: '1.0.0', timestamp: '2026-11-23T00:00:00.000Z' },
  '/api/v1/whoami': { kind: 'consumer', name: 'an agent', userId: 'ada', topics: [] },
};

let cli: CommandRunner;
const stops: (() => void)[] = [];

beforeAll(async () => {
  cli = await createCommandRunner(bundle);
});
afterAll(async () => {
  await cli.stop();
  for (const stop of stops) stop();
});

/** A relay that is slow in one way, at the paths that match. */
async function startSlowRelay(way: Way, slowPaths = /./): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const isStream = request.headers.accept === 'text/event-stream';
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    if (slowPaths.test(path)) ways[way](response);
    else response.end(JSON.stringify(answers[path] ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Collects garbage all the time: a timer that only a signal holds is lost by it, and then never ends a call. */
const collectGarbage = `data:text/javascript,
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  setInterval(runInNewContext('gc'), 100).unref();`.replaceAll(/\s+/g, '%20');

const envOf = (side: 'agent' | 'expert', url: string) => ({
  RELAY_URL: url,
  NODE_OPTIONS: `--import=${collectGarbage}`,
  RELAY_API_KEY: `${side === 'agent' ? 'hs_' : 'hs_prov_'}${'a'.repeat(38)}`,
  RELAY_CONFIG_DIR: `${cli.folder}/${crypto.randomUUID()}`,
});

type Command = ['agent' | 'expert', string[], number];
const doctor: Command = ['agent', ['doctor'], 1];
const ask: Command = ['agent', ['ask', 'Well?', '--plaintext', '--no-wait'], 8];
/* `relay doctor` makes its own calls. All other commands use the SDK, whose time limit ends each kind of slow response. */
const commands: Readonly<Record<Way, Command[]>> = {
  'never answers': [
    doctor,
    ask,
    ['agent', ['whoami'], 8],
    ['agent', ['close', 'HS-12345678'], 8],
    ['expert', ['keys', 'make'], 8],
    ['expert', ['answer', 'HS-12345678', 'Yes.', '--plaintext'], 8],
  ],
  'sends nothing after the head': [doctor, ask],
  'sends a byte now and then': [doctor, ask],
};

describe.each(allWays)('a relay that %s keeps no command waiting', (way) => {
  test.concurrent.each(commands[way])('%s: %j', async (side, args, code) => {
    const url = await startSlowRelay(way);
    const ended = await cli.run(args, { env: envOf(side, url) });
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).toMatch(/did not answer in time|does not answer|cannot be reached/);
  });

  test.concurrent('nor the tools of an MCP server', async () => {
    const url = await startSlowRelay(way, /^\/(?!api\/health)/);
    const client: McpClient = await startMcpClient({ env: envOf('agent', url), bundle });
    try {
      const { isError, text } = await client.call('ask_expert', { question: 'May I?' });
      expect({ isError, text }).toEqual({
        isError: true,
        text: expect.stringContaining('Error code: unavailable (unreachable)'),
      });
    } finally {
      await client.close();
    }
  });
});

test.each<[Way, RegExp]>([
  ['never answers', /may hold streams back/],
  ['sends nothing after the head', /may hold streams back/],
  ['sends a byte now and then', /arrives/],
])('relay doctor looks at a hub that %s', async (way, message) => {
  const url = await startSlowRelay(way, /^\/hub/);
  const env = { ...envOf('agent', url), RELAY_HUB_URL: `${url}/hub` };
  // The other checks give up after a second too, on a machine that stalls.
  const stream = await eventually('a look at the hub', async () => {
    const { stdout } = await cli.run(['doctor', '--json'], { env });
    return JSON.parse(stdout).checks.find(({ about }: { about: string }) => about === 'stream');
  });
  expect(stream.message).toMatch(message);
});
