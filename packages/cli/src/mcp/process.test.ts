import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mcpCommand, newFolder } from '../testing/mcp-client.ts';

let relay: Constellation;
let tenant: Tenant;
let folder: string;

beforeAll(async () => {
  relay = await startConstellation();
  tenant = await relay.makeTenant();
});
afterAll(() => relay.stop());
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The server as a bare process, spoken to line by line. */
async function startServer() {
  const { command, args, env } = await mcpCommand({
    RELAY_URL: relay.gatewayUrl,
    RELAY_API_KEY: tenant.consumerKey,
    RELAY_CONFIG_DIR: folder,
  });
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
  const say = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ended = once(server, 'close').then(([code]) => ({ code, errors }));
  const answerTo = (id: number) =>
    eventually(`the answer to ${id}`, () =>
      lines()
        .map((line) => JSON.parse(line))
        .find((message) => message.id === id),
    );
  const call = (id: number, name: string, input: object) =>
    say({ id, method: 'tools/call', params: { name, arguments: input } });
  return { server, lines, say, call, ended, answerTo };
}

async function startAsking() {
  const server = await startServer();
  const clientInfo = { name: 'bare', version: '1' };
  server.say({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  await server.answerTo(1);
  server.say({ method: 'notifications/initialized' });
  server.call(2, 'ask_expert', { question: 'Anybody?' });
  const { result } = await server.answerTo(2);
  return { ...server, reference: result.structuredContent.reference };
}

const locks = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));

describe('relay mcp as a process', () => {
  test('writes nothing but MCP to stdout, whatever it is told', async () => {
    const { server, lines, say, call, answerTo, ended } = await startAsking();
    for (const junk of ['this is no JSON', '{"jsonrpc":"2.0"}', '[]', '\u0000', '{"jsonrpc":"2.0","id":3}'])
      server.stdin.write(`${junk}\n`);
    say({ id: 4, method: 'no/such/method' });
    call(5, 'no_such_tool', {});
    call(6, 'wait_for_answer', { reference: 'HS-00000000', max_seconds: 'long' });
    expect((await answerTo(4)).error).toBeDefined();
    expect((await answerTo(5)).result.isError).toBe(true);
    expect((await answerTo(6)).result.isError).toBe(true);
    server.stdin.end();
    expect(await ended).toEqual({ code: 0, errors: '' });
    for (const line of lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  test('ends with its client, in the midst of waiting too, and lets go of everything', async () => {
    const { server, call, reference, ended } = await startAsking();
    call(3, 'wait_for_answer', { reference });
    await eventually('the conversation to be held', () => locks().length === 1);
    server.stdin.end();
    expect(await ended).toEqual({ code: 0, errors: '' });
    expect(locks()).toEqual([]);
  });

  test('ends when nobody reads its answers any more', async () => {
    const { server, call, reference, ended } = await startAsking();
    server.stdout.destroy();
    call(3, 'conversation_status', { reference });
    expect(await ended).toEqual({ code: 0, errors: '' });
    expect(locks()).toEqual([]);
  });

  test('ends at SIGTERM, and lets go of everything', async () => {
    const { server, call, reference, ended } = await startAsking();
    call(3, 'wait_for_answer', { reference });
    await eventually('the conversation to be held', () => locks().length === 1);
    server.kill('SIGTERM');
    expect(await ended).toEqual({ code: 143, errors: '' });
    expect(locks()).toEqual([]);
  });

  test('keeps what it knows where nobody else can read it', async () => {
    const { server, ended } = await startAsking();
    server.stdin.end();
    await ended;
    const { stdout } = spawn('find', [folder, '-perm', '/077'], { stdio: 'pipe' });
    expect(await stdout.setEncoding('utf8').toArray()).toEqual([]);
  });
});
