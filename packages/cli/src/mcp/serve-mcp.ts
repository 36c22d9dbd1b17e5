import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { version } from '../config.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { openAttachableFolder } from '../files/attachable-folder.ts';
import { checkAddress } from '../relay/check-address.ts';
import { type Agent, openAgent } from '../relay/open-agent.ts';
import { ConversationPool } from './conversation-pool/conversation-pool.ts';
import { createMcpServer } from './create-mcp-server.ts';

interface McpOptions {
  input: Readable;
  output: Writable;
  acceptsUnprotected: boolean;
  /** The only folder whose files a model may attach. Without it, none. */
  filesFolder: string | undefined;
  /** How many seconds a call may wait. */
  longestWait: number;
}

/** Serves one client until it disconnects or the process receives a stop signal. */
export async function serveMcp(
  context: Context,
  { input, output, acceptsUnprotected, filesFolder, longestWait }: McpOptions,
): Promise<void> {
  const { signal, now } = context;
  const files = filesFolder === undefined ? undefined : openAttachableFolder(filesFolder);
  const pool = new ConversationPool({ openAgent: () => openAgentFor(context, acceptsUnprotected), now });
  const transport = new StdioServerTransport(input, output);
  // One server for each connection: a client that asks for the newest revision first may fall back to an older one.
  const connection = serveStdio(
    () =>
      createMcpServer({
        pool,
        files,
        checkSettings: (signal) => checkSettings(context, signal),
        version,
        longestWait,
      }),
    { transport },
  );
  await new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await connection.close();
  await pool.stop();
  // An open pipe would keep the process running.
  input.destroy();
  signal.throwIfAborted();
}

const inEnv =
  'Your user must correct it in "env" in the MCP settings of this client, and restart the server.';

/** Checks the address. `openAgentFor` reports settings that are wrong or missing. */
async function checkSettings({ config }: Context, signal: AbortSignal): Promise<void> {
  if (config.wrong || !config.apiKey) return;
  await checkAddress({ config, signal }).catch((error: unknown) => {
    throw error instanceof Failure && error.outcome === 'usage'
      ? new Failure('usage', `${error.message}\n${inEnv}`)
      : error;
  });
}

/** A model reads the error, so it does not contain the key of a local relay, which a terminal would show. */
function openAgentFor(context: Context, acceptsUnprotected: boolean): Agent {
  const { url, apiKey, wrong } = context.config;
  if (wrong) throw new Failure('usage', `${wrong.message} ${inEnv}`);
  const missing = [!url && 'RELAY_URL', !apiKey && 'RELAY_API_KEY'].filter(Boolean);
  if (missing.length === 0) {
    return openAgent(context, { instead: 'Experts answer with relay listen.', acceptsUnprotected });
  }
  const [are, them] = missing.length > 1 ? ['are', 'them'] : ['is', 'it'];
  throw new Failure(
    'usage',
    `${missing.join(' and ')} ${are} not set for this MCP server. Your user must add ${them} to "env" in the MCP settings of this client, or store both with relay login, and restart the server.`,
  );
}
