import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { mcpCommand } from '../testing/mcp-client.ts';
import { type McpSession, useMcpRelay } from '../testing/mcp-session.ts';
import { resultKey } from './tools/tool.ts';

const { withSession } = useMcpRelay();

/** The server as a process, with its input and output line by line. */
async function startServer(session: McpSession) {
  const { command, args, env } = await mcpCommand({ env: session.env });
  const server = spawn(command, args, { env, stdio: 'pipe' });
  let printed = '';
  let errors = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const lines = () => printed.split('\n').slice(0, -1);
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ended = once(server, 'close').then(([code]) => ({ code, errors }));
  const answerTo = (id: number) =>
    eventually(`the answer to ${id}`, () =>
      lines()
        .map((line) => JSON.parse(line))
        .find((message) => message.id === id),
    );
  const call = (id: number, name: string, input: object) =>
    send({ id, method: 'tools/call', params: { name, arguments: input } });
  const locks = () => filesIn(session).filter((name) => name.endsWith('.lock'));
  return { server, lines, send, call, ended, answerTo, locks };
}

/** A server that has asked a question. */
async function startAsking(session: McpSession) {
  const server = await startServer(session);
  const clientInfo = { name: 'bare', version: '1' };
  server.send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  await server.answerTo(1);
  server.send({ method: 'notifications/initialized' });
  server.call(2, 'ask_expert', { question: 'Anybody?' });
  const { result } = await server.answerTo(2);
  return { ...server, reference: result._meta[resultKey].reference };
}

const filesIn = ({ env: { RELAY_CONFIG_DIR: folder = '' } }: McpSession) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' });

describe('relay mcp as a process', () => {
  test.concurrent(
    'writes only MCP messages to stdout, whatever its input is',
    withSession(async (session) => {
      const { server, lines, send, call, answerTo, ended } = await startAsking(session);
      for (const junk of ['this is no JSON', '{"jsonrpc":"2.0"}', '[]', '\u0000', '{"jsonrpc":"2.0","id":3}'])
        server.stdin.write(`${junk}\n`);
      send({ id: 4, method: 'no/such/method' });
      call(5, 'no_such_tool', {});
      call(6, 'wait_for_answer', { reference: 'HS-00000000', max_seconds: 'long' });
      expect((await answerTo(4)).error).toBeDefined();
      expect((await answerTo(5)).error).toBeDefined();
      expect((await answerTo(6)).result.isError).toBe(true);
      server.stdin.end();
      expect(await ended).toEqual({ code: 0, errors: '' });
      for (const line of lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    }),
  );

  test.concurrent(
    'ends with its client, also while it waits, and releases all locks',
    withSession(async (session) => {
      const { server, call, reference, ended, locks } = await startAsking(session);
      call(3, 'wait_for_answer', { reference });
      await eventually('the conversation to be locked', () => locks().length === 1);
      server.stdin.end();
      expect(await ended).toEqual({ code: 0, errors: '' });
      expect(locks()).toEqual([]);
    }),
  );

  test.concurrent(
    'ends when its stdout is closed',
    withSession(async (session) => {
      const { server, call, reference, ended, locks } = await startAsking(session);
      server.stdout.destroy();
      call(3, 'conversation_status', { reference });
      expect(await ended).toEqual({ code: 0, errors: '' });
      expect(locks()).toEqual([]);
    }),
  );

  test.concurrent(
    'ends at SIGTERM, and releases all locks',
    withSession(async (session) => {
      const { server, call, reference, ended, locks } = await startAsking(session);
      call(3, 'wait_for_answer', { reference });
      await eventually('the conversation to be locked', () => locks().length === 1);
      server.kill('SIGTERM');
      expect(await ended).toEqual({ code: 143, errors: '' });
      expect(locks()).toEqual([]);
    }),
  );

  test.concurrent(
    'stores its files so that only their owner can read them',
    withSession(async (session) => {
      const { server, ended } = await startAsking(session);
      server.stdin.end();
      await ended;
      const { stdout } = spawn('find', [session.env.RELAY_CONFIG_DIR ?? '', '-perm', '/077'], {
        stdio: 'pipe',
      });
      expect(await stdout.setEncoding('utf8').toArray()).toEqual([]);
    }),
  );
});
