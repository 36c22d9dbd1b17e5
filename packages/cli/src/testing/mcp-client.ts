import { eventually } from '@expert-relay/testkit';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { resultKey } from '../mcp/tools/tool.ts';
import { type BundleOptions, buildCli } from './build-cli.ts';
import { readAnswers, readTranscript } from './read-result.ts';

export interface McpServerOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Options of `relay mcp`. */
  readonly args?: readonly string[];
  readonly bundle?: BundleOptions;
  /** The newest revision of the protocol, in place of that of 2025, which most clients have. */
  readonly isNewest?: boolean;
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
  /** The data for programs, and what a model reads in the text. */
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
export async function startMcpClient({ isNewest, ...options }: McpServerOptions): Promise<McpClient> {
  const transport = new StdioClientTransport({ ...(await mcpCommand(options)), stderr: 'pipe' });
  let errors = '';
  transport.stderr?.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    isNewest ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  );
  await client.connect(transport);
  const pid = transport.pid ?? 0;
  return {
    client,
    errors: () => errors,
    async call(name, input = {}, signal) {
      const options = { timeout: callTimeoutMs, ...(signal && { signal }) };
      const result = await client.callTool({ name, arguments: input }, options);
      const [first, ...images] = result.content as { type: string; text: string }[];
      for (const { type } of images) if (type !== 'image') throw new Error(`This is no image: ${type}`);
      const text = first?.text ?? '';
      return {
        isError: result.isError === true,
        text,
        data: readData(name, text, result._meta?.[resultKey]),
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

function readData(tool: string, text: string, data: ToolAnswer['data']): ToolAnswer['data'] {
  if (tool === 'wait_for_answer' && data) {
    const { answers, comment } = readAnswers(text);
    return { ...data, answers, ...(data.decision && { decision: { ...data.decision, comment } }) };
  }
  if (tool !== 'conversation_status' || !data || data.conversations) return data;
  return { conversations: [{ ...data, transcript: readTranscript(text) }] };
}
