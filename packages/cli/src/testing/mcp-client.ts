import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type BundleOptions, buildCli } from './build-cli.ts';

interface McpServerOptions {
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
}

export interface McpClient {
  readonly client: Client;
  readonly pid: number;
  /** What the server has written to stderr. */
  errors(): string;
  call(tool: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>;
  close(): Promise<void>;
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
  return {
    client,
    pid: transport.pid ?? 0,
    errors: () => errors,
    async call(name, input = {}, signal) {
      const result = await client.callTool({ name, arguments: input }, undefined, signal && { signal });
      const [first] = result.content as { text: string }[];
      return { isError: result.isError === true, text: first?.text ?? '', data: result.structuredContent };
    },
    close: () => client.close(),
  };
}
