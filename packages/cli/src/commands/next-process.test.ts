import type { Lie } from '@expert-relay/testkit';
import { alterList } from '@expert-relay/testkit/lies';
import { expect, test } from '@jest/globals';
import { later, useAgent, useTestCli } from '../testing/test-cli.ts';

/* What one command of an agent knows of those before it, whatever the relay shows: docs/crypto.md, "What another process must know". */

const cli = useTestCli();
useAgent(cli);

const refCodeIn = (stderr: string): string => /HS-\w{8}/.exec(stderr)?.[0] ?? '';
const approve = ['approve', 'Delete it?', '--wait', '2s'];
const resume = (refCode: string, ...words: string[]) =>
  cli.asAgent('ask', '--resume', refCode, '--wait', '60s', ...words);

test('a final no stays one, and the expert sees both decisions', async () => {
  const { stderr } = await cli.asAgent(...approve, '--keep-open');
  const refCode = refCodeIn(stderr);
  expect((await cli.answer(refCode, '--decline', 'No.')).code).toBe(0);
  expect(await resume(refCode)).toMatchObject({ code: 13, stdout: 'No.\n' });
  expect(
    (await cli.run(['answer', refCode, '--approve', 'ok, go ahead'], { env: cli.expert, ...later })).code,
  ).toBe(0);
  for (const _run of [1, 2]) {
    const again = await resume(refCode);
    expect(again).toMatchObject({ code: 13, stdout: 'No.\n' });
    if (_run === 1) expect(again.stderr).toMatch(/Your expert has later accepted again[\s\S]*ok, go ahead/);
  }
  const shown = await cli.asExpert('show', refCode);
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /Declined \S+ \S+, then approved \S+ \S+; the agent may have acted on the first\./,
  );
});

test('a question that was closed takes no later decision', async () => {
  const liar = await cli.startLyingRelay();
  const env = { ...cli.agent, RELAY_URL: liar.url };
  const swallowed: Lie = {
    swallow: ({ path }) =>
      path.includes('/close/') ? { status: 200, body: { status: 'closed', responseCount: 0 } } : undefined,
  };
  liar.tell(swallowed);
  const first = await cli.run(approve, { env });
  expect(first).toMatchObject({ code: 3, stderr: expect.stringContaining('a later decision has no effect') });
  const refCode = refCodeIn(first.stderr);
  expect((await cli.answer(refCode, '--approve')).code).toBe(0);
  const again = await cli.run(['ask', '--resume', refCode, '--wait', '60s'], { env });
  expect(again).toMatchObject({ code: 4, stdout: '' });
});

test('a text that was not sent keeps an approval from counting under its name', async () => {
  const liar = await cli.startLyingRelay();
  const env = { ...cli.agent, RELAY_URL: liar.url };
  const named = [...approve, '--once', 'job-7'];
  const first = await cli.run(named, { env });
  expect(first.code).toBe(3);
  const refCode = refCodeIn(first.stderr);
  expect((await cli.pickUp(refCode)).code).toBe(0);
  liar.tell({
    swallow: ({ method, path }) =>
      method === 'POST' && path.includes('/message/') ? { status: 400, body: { status: 400 } } : undefined,
  });
  const wait = await cli.run(['ask', '--resume', refCode, 'WAIT: it has data!', '--wait', '1s'], { env });
  expect(wait.code).not.toBe(0);
  expect((await cli.answer(refCode, '--approve')).code).toBe(0);
  const second = await cli.run(named, { env });
  expect(second.stdout).toBe('');
  expect(second.code).not.toBe(0);
});

test('a contradiction stays one although the relay hides a part of it, and a no ends it', async () => {
  const liar = await cli.startLyingRelay();
  const env = { ...cli.agent, RELAY_URL: liar.url };
  const asked = await cli.run(['ask', 'Where?', '--choice', 'eu', '--choice', 'us', '--no-wait'], { env });
  const refCode = asked.stdout.trim();
  for (const region of ['eu', 'us']) await cli.answer(refCode, '--choose', region);
  const again = () => cli.run(['ask', '--resume', refCode, '--wait', '60s'], { env });
  expect(await again()).toMatchObject({ code: 14, stdout: '' });
  liar.tell(alterList((messages) => void messages.pop()));
  expect(await again()).toMatchObject({ code: 14, stdout: '' });
  liar.tell({});
  await cli.answer(refCode, '--decline', 'Neither.');
  for (const _run of [1, 2]) expect(await again()).toMatchObject({ code: 13 });
});

test('a text that was sent must be in the list', async () => {
  const liar = await cli.startLyingRelay();
  const env = { ...cli.agent, RELAY_URL: liar.url };
  const { stderr } = await cli.run([...approve, '--keep-open'], { env });
  const refCode = refCodeIn(stderr);
  expect((await cli.pickUp(refCode)).code).toBe(0);
  await cli.run(['ask', '--resume', refCode, 'WAIT: it has data!', '--wait', '1s'], { env });
  liar.tell(alterList((messages) => void messages.shift()));
  expect((await cli.answer(refCode, '--approve')).code).toBe(0);
  const again = await cli.run(['ask', '--resume', refCode, '--wait', '60s'], { env });
  expect(again).toMatchObject({ code: 7, stdout: '' });
});

test('another key asks its own question under the same name', async () => {
  const named = [...approve, '--once', 'N'];
  const first = await cli.asAgent(...named);
  const refCode = refCodeIn(first.stderr);
  expect((await cli.answer(refCode, '--approve', 'Yes.')).code).toBe(0);
  const patiently = ['approve', 'Delete it?', '--wait', '60s', '--once', 'N'];
  expect(await cli.asAgent(...patiently)).toMatchObject({ code: 0, stdout: 'Yes.\n' });
  const { consumerKey } = await cli.relay.makeTenant();
  const other = await cli.run(named, { env: { ...cli.agent, RELAY_API_KEY: consumerKey } });
  expect(other).toMatchObject({ code: 3, stdout: '' });
  expect(refCodeIn(other.stderr)).not.toBe(refCode);
});
