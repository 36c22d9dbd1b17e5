import { Failure } from '../failure.ts';

/** How a client starts the server. */
export interface ServerStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface ClientConfig {
  /** Where the block belongs. */
  readonly where: string;
  /** How many seconds a call may wait in this client, where that is more than without settings. */
  readonly longestWait?: number;
  /** `timeout`: after how many seconds the client may end a call. */
  readonly block: (start: ServerStart, timeout: number) => string;
}

const name = 'expert-relay';
const json = (value: object) => JSON.stringify(value, null, 2);
const servers = (start: object) => json({ mcpServers: { [name]: start } });

/** How many seconds a call may wait where nothing else is known of the client: most end it after a minute. */
export const defaultWait = 50;
/** A call ends this long before the client would end it. */
const spareSeconds = 10;
const hour = 3_600;

/** The settings of each client, by its name on the command line. */
const clients: Readonly<Record<string, ClientConfig>> = {
  'claude-code': {
    where: '.mcp.json in the folder of the project',
    longestWait: hour,
    block: (start, timeout) => servers({ ...start, timeout: timeout * 1_000 }),
  },
  'claude-desktop': {
    where: 'claude_desktop_config.json (Settings, Developer, Edit Config). Start Claude again after that',
    block: servers,
  },
  cursor: { where: '~/.cursor/mcp.json, or .cursor/mcp.json in the project', block: servers },
  vscode: {
    where: '.vscode/mcp.json in the project',
    // Some of its releases end a call after five minutes, and no setting changes that.
    longestWait: 240,
    block: (start) => json({ servers: { [name]: { type: 'stdio', ...start } } }),
  },
  codex: {
    where: '~/.codex/config.toml',
    longestWait: hour,
    block: ({ command, args, env }, timeout) => {
      const pairs = Object.entries(env).map(([variable, value]) => `${variable} = ${JSON.stringify(value)}`);
      return [
        `[mcp_servers.${name}]`,
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
        `env = { ${pairs.join(', ')} }`,
        `tool_timeout_sec = ${timeout}`,
      ].join('\n');
    },
  },
};

/**
 * The block for a client's settings, and where it belongs.
 * `longestWait`: how many seconds a call may wait, if that was chosen.
 */
export function configFor(
  client: string,
  { args, ...start }: ServerStart,
  longestWait?: number,
): { block: string; where: string } {
  const config = Object.hasOwn(clients, client) ? clients[client] : undefined;
  if (!config)
    throw new Failure(
      'usage',
      `There is no client "${client}". Clients: ${Object.keys(clients).join(', ')}.`,
    );
  const wait = longestWait ?? config.longestWait;
  const waiting = wait === undefined ? [] : ['--max-wait', `${wait}s`];
  const block = config.block({ ...start, args: [...args, ...waiting] }, (wait ?? defaultWait) + spareSeconds);
  return { block, where: config.where };
}
