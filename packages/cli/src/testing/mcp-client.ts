import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { buildCli } from './build-cli.ts';

/** `relay mcp` as a client starts it. */
export async function mcpCommand(env: Readonly<Record<string, string>>, options: readonly string[] = []) {
  const { PATH = '' } = process.env;
  return {
    command: process.execPath,
    args: [await buildCli(), 'mcp', ...options],
    env: { PATH, ...env },
  };
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'relay-mcp-'));

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  // The client has held it to the tool's schema.
  readonly data: ReturnType<typeof JSON.parse>;
}

export interface McpClient {
  readonly client: Client;
  readonly pid: number;
  /** What the server wrote for people. */
  errors(): string;
  call(tool: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** An agent's program: the official client, with the server as a process of its own. */
export async function startMcpClient(
  env: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<McpClient> {
  const transport = new StdioClientTransport({ ...(await mcpCommand(env, options)), stderr: 'pipe' });
  let errors = '';
  transport.stderr?.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  // From then on the client checks what tools give.
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
