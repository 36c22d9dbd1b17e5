import { Failure } from '../failure.ts';

/** How a client starts the server. */
export interface ServerStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** How many seconds a call may wait, if that was chosen. */
  readonly longestWait: number | undefined;
}

interface ClientConfig {
  /** Where the block belongs. */
  readonly where: string;
  readonly block: (start: ServerStart) => string;
  /** What else lets a call take longer than a minute. */
  readonly timeLimit?: (seconds: number) => string;
}

const name = 'expert-relay';
const json = (value: object) => JSON.stringify(value, null, 2);
const servers = ({ command, args, env }: ServerStart) =>
  json({ mcpServers: { [name]: { command, args, env } } });

/** A call ends this long before the client would end it. */
const spareSeconds = 10;

/** The settings of each client, by its name on the command line. */
export const clients: Readonly<Record<string, ClientConfig>> = {
  'claude-code': {
    where: '.mcp.json in the folder of the project. Do not commit it: it has your key',
    block: servers,
    timeLimit: (seconds) => `Start Claude Code with MCP_TOOL_TIMEOUT=${seconds * 1_000}.`,
  },
  'claude-desktop': {
    where: 'claude_desktop_config.json (Settings, Developer, Edit Config). Start Claude again after that',
    block: servers,
  },
  cursor: { where: '~/.cursor/mcp.json, or .cursor/mcp.json in the project', block: servers },
  vscode: {
    where: '.vscode/mcp.json in the project. Do not commit it: it has your key',
    block: ({ command, args, env }) => json({ servers: { [name]: { type: 'stdio', command, args, env } } }),
  },
  codex: {
    where: '~/.codex/config.toml',
    block: ({ command, args, env, longestWait }) => {
      const pairs = Object.entries(env).map(([variable, value]) => `${variable} = ${JSON.stringify(value)}`);
      return [
        `[mcp_servers.${name}]`,
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
        `env = { ${pairs.join(', ')} }`,
        ...(longestWait === undefined ? [] : [`tool_timeout_sec = ${longestWait + spareSeconds}`]),
      ].join('\n');
    },
  },
};

/** The block for a client's settings, and where it belongs. */
export function configFor(client: string, start: ServerStart): { block: string; about: string } {
  const config = Object.hasOwn(clients, client) ? clients[client] : undefined;
  if (!config)
    throw new Failure(
      'usage',
      `There is no client "${client}". Clients: ${Object.keys(clients).join(', ')}.`,
    );
  const { where, block, timeLimit } = config;
  const { longestWait } = start;
  const limit = longestWait === undefined ? undefined : timeLimit?.(longestWait + spareSeconds);
  return { block: block(start), about: [`This goes into ${where}.`, limit].filter(Boolean).join(' ') };
}
