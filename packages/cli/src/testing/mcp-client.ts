import { eventually } from '@expert-relay/testkit';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type BundleOptions, buildCli } from './build-cli.ts';

export interface McpServerOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Options of `relay mcp`. */
  readonly args?: readonly string[];
  readonly bundle?: BundleOptions;
}

/** `relay mcp` as a client starts it. */
export async function mcpCommand({ env, args = [], bundle }: McpServerOptions) {
  const { PATH = '' } = process.env;
  return {
    command: process.execPath,
    args: [await buildCli(bundle), 'mcp', ...args],
    env: { PATH, ...env },
  };
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  // The client has checked it with the tool's schema.
  readonly data: ReturnType<typeof JSON.parse>;
  readonly images: readonly { readonly mimeType: string; readonly data: string }[];
}

export interface McpClient {
  readonly client: Client;
  /** What the server has written to stderr. */
  errors(): string;
  call(tool: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>;
  /** Ends the server's process as a crash does, and waits for its end. */
  kill(): Promise<void>;
  /** Ends the server's process in an orderly way, and waits for its end. */
  close(): Promise<void>;
}

/** Longer than the longest call of a tool, on a machine that may stall. */
const callTimeoutMs = 240_000;

/** Sends a signal to a process, unless it has ended, and waits for its end. */
async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  const send = (sent: NodeJS.Signals | 0) => {
    try {
      return process.kill(pid, sent);
    } catch {
      return false;
    }
  };
  send(signal);
  await eventually(`the end of process ${pid}`, () => !send(0));
}

/** The program of an agent: the official client, with `relay mcp` as a separate process. */
export async function startMcpClient(options: McpServerOptions): Promise<McpClient> {
  const transport = new StdioClientTransport({ ...(await mcpCommand(options)), stderr: 'pipe' });
  let errors = '';
  transport.stderr?.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  // From then on the client checks the results of tools.
  await client.listTools();
  const pid = transport.pid ?? 0;
  return {
    client,
    errors: () => errors,
    async call(name, input = {}, signal) {
      const result = await client.callTool({ name, arguments: input }, undefined, {
        timeout: callTimeoutMs,
        ...(signal && { signal }),
      });
      const [first, ...images] = result.content as { type: string; text: string }[];
      for (const { type } of images) if (type !== 'image') throw new Error(`This is no image: ${type}`);
      return {
        isError: result.isError === true,
        text: first?.text ?? '',
        data: result.structuredContent,
        images: images as unknown as ToolAnswer['images'],
      };
    },
    kill: () => end(pid, 'SIGKILL'),
    async close() {
      // The client itself would kill a server that does not end within four seconds, also one that still writes its files.
      await end(pid, 'SIGTERM');
      await client.close();
    },
  };
}
