import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { useTestCli } from '../testing/test-cli.ts';

const received: { body: string; headers: Record<string, string> }[] = [];
let status = 200;
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const headers = request.headers as Record<string, string>;
    received.push({ body: Buffer.concat(chunks).toString(), headers });
    response.statusCode = status;
    response.end('\u001b[2J busy');
  });
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const cli = useTestCli();

const json = async (...args: string[]) => {
  const { code, stdout } = await cli.asAgent('webhooks', ...args, '--json');
  return { code, ...JSON.parse(stdout) };
};

test('an agent adds a webhook, tries it, sees what failed, and removes it', async () => {
  expect(await cli.asAgent('webhooks')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('There are no webhooks'),
  });
  const added = await cli.asAgent(
    'webhooks',
    'add',
    url,
    '--event',
    'message.created',
    '--event',
    'request.closed',
  );
  const [, id = '', secret = ''] =
    /^Webhook {2}(\S+)\n.*\nSecret {3}(whsec_\S+)\n$/s.exec(added.stdout) ?? [];
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('message.created, request.closed'),
  });
  expect((await cli.asAgent('webhooks')).stdout).toBe(`${id}  agent   on  ${url}\n`);

  const tried = await cli.asAgent('webhooks', 'test', id.slice(0, 8));
  expect(tried).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^msg_\S+ delivered \(200, \d+ ms\)\n$/),
  });
  const [first] = received;
  expect(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({
    type: 'webhook.test',
  });

  status = 503;
  const failed = await json('test', id);
  expect(failed).toMatchObject({
    code: 1,
    error: { code: 'refused' },
    delivery: { attempts: 1, statusCode: 503 },
  });
  expect((await cli.asAgent('webhooks', 'test', id)).stderr).toMatch(/ waiting \(refused, 503\): .* busy$/m);
  status = 200;
  // An expert's key sees those of its agents.
  expect((await cli.asExpert('webhooks')).stdout).toContain(`${id}  agent `);
  expect(await json('remove', id)).toMatchObject({ code: 0, state: 'removed' });
  expect(await json('list')).toEqual({ code: 0, webhooks: [] });
});

test.each([
  ['closed', []],
  ['full', ['--json']],
] as const)(
  'a secret that could not be written to a %s output is a failure, which says how to get another one: %j',
  async (stdout, format) => {
    const added = await cli.run(['webhooks', 'add', url, ...format], { env: cli.agent, stdout });
    const [{ id }] = (await json('list')).webhooks;
    const next = expect.stringMatching(new RegExp(`relay\\s+webhooks\\s+remove\\s+${id}`));
    expect(added).toMatchObject({ code: 1, stderr: next });
    await json('remove', id);
  },
);

test.concurrent.each([
  [['add'], 2, 'relay webhooks add https://'],
  [['add', 'ftp://x'], 2, 'Expected an'],
  [['add', 'https://example.com/', '--event', 'request.created'], 2, 'Expected some of message.created'],
  [['tset', 'x'], 2, 'Did you mean test?'],
  [['remove', ''], 2, 'at least four characters'],
  [['test', '4f8c'], 9, 'There is no such webhook'],
  [['remove', 'x', 'y'], 2, '"y" is not expected here.'],
  [['list', '--event', 'x'], 2, '--event is only for'],
])('relay webhooks %j is refused in a sentence', async (args, code, sentence) => {
  const ended = await cli.asAgent('webhooks', ...args);
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) });
});
