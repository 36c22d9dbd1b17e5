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

test('an agent adds a webhook, tries it, sees what failed, sends it again, rotates and removes it', async () => {
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
  const { stdout: list } = await cli.run(['webhooks', 'deliveries', id], { env: cli.agent });
  expect(list.split('\n')[0]).toMatch(
    /^msg_\S+ {2}\S.* webhook\.test .* waiting \(refused, 503, \d+ ms\), again .*busy$/,
  );

  status = 200;
  const again = await json('resend', id, failed.delivery.id);
  expect(again).toMatchObject({ code: 0, delivery: { id: failed.delivery.id, state: 'delivered' } });
  const rotated = await json('rotate', id, '--now');
  expect(rotated.secret).not.toBe(secret);
  await json('test', id);
  const last = received.at(-1);
  expect(() => new Webhook(rotated.secret).verify(last?.body ?? '', last?.headers ?? {})).not.toThrow();
  expect(() => new Webhook(secret).verify(last?.body ?? '', last?.headers ?? {})).toThrow();

  expect((await cli.asAgent('webhooks', 'disable', id)).stdout).toBe(`The webhook ${id} is off.\n`);
  const off = await cli.asAgent('webhooks', 'test', id);
  expect(off).toMatchObject({ code: 1, stderr: expect.stringContaining('The webhook is off') });
  expect(await json('enable', id)).toMatchObject({ code: 0, state: 'on' });
  // An expert's key sees those of its agents.
  expect((await cli.asExpert('webhooks')).stdout).toContain(`${id}  agent `);
  expect(await json('remove', id)).toMatchObject({ code: 0, state: 'removed' });
  expect(await json('list')).toEqual({ code: 0, webhooks: [] });
});

const nextStep = (id: string) =>
  expect.stringMatching(new RegExp(`relay\\s+webhooks\\s+rotate\\s+${id}\\s+--now`));

test.each(['closed', 'full'] as const)(
  'a secret that could not be written to a %s output is a failure, which says how to get another one',
  async (stdout) => {
    let { id } = await json('add', url);
    for (const format of [[], ['--json']]) {
      const rotated = await cli.run(['webhooks', 'rotate', id, ...format], { env: cli.agent, stdout });
      expect(rotated).toMatchObject({ code: 1, stderr: nextStep(id) });
      await json('remove', id);
      const added = await cli.run(['webhooks', 'add', url, ...format], { env: cli.agent, stdout });
      const [webhook] = (await json('list')).webhooks;
      expect(added).toMatchObject({ code: 1, stderr: nextStep(webhook.id) });
      id = webhook.id;
    }
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
  [['disable', 'x', 'y'], 2, '"y" is not expected here.'],
  [['list', '--now'], 2, '--now is only for'],
])('relay webhooks %j is refused in a sentence', async (args, code, sentence) => {
  const ended = await cli.asAgent('webhooks', ...args);
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) });
});
