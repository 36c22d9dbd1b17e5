import type { Lie } from '@expert-relay/testkit';
import { eventually } from '@expert-relay/testkit';
import { alterList } from '@expert-relay/testkit/lies';
import { expect, test } from '@jest/globals';
import { later, useAgent, useTestCli } from '../testing/test-cli.ts';

/* What one command of an agent knows of those before it, whatever the relay shows: docs/crypto-storage.md, "What another process must know". */

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

const isMessage = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path.includes('/message/');

/** A text is given to a command that is ended while the relay answers 503 to what `isAway` says. */
async function endedCommand(isAway: (call: { method: string; path: string }) => boolean, by: NodeJS.Signals) {
  const liar = await cli.startLyingRelay();
  const env = { ...cli.agent, RELAY_URL: liar.url };
  const refCode = refCodeIn((await cli.run([...approve, '--keep-open'], { env })).stderr);
  expect((await cli.pickUp(refCode)).code).toBe(0);
  const sent: string[] = [];
  const refused: string[] = [];
  const call: Lie['call'] = (one) => void (isMessage(one) && sent.push(JSON.stringify(one.body)));
  const swallow: Lie['swallow'] = (one) => {
    if (!isAway(one)) return undefined;
    refused.push(one.path);
    return { status: 503, body: { status: 503 } };
  };
  liar.tell({ call, swallow });
  const run = cli.start(['ask', '--resume', refCode, 'WAIT: it has data!'], { env });
  await eventually('a call that the relay refuses', () => refused.length > 0);
  run.kill(by);
  const { code, stderr } = await run.ended;
  liar.tell({ call });
  const next = () => cli.run(['ask', '--resume', refCode, '--wait', '1s'], { env });
  return { refCode, code, stderr, sent, next };
}

test.each(['SIGKILL', 'SIGINT'] as const)(
  'a text that was sealed is sent by the next command, as it is: %s',
  async (by) => {
    const { refCode, stderr, sent, next } = await endedCommand(isMessage, by);
    if (by === 'SIGINT') expect(stderr).toContain('has NOT been sent yet: it is sent once the relay answers');
    expect((await next()).code).toBe(3);
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent).size).toBe(1);
    expect((await cli.asExpert('show', refCode)).stdout).toContain('WAIT: it has data!');
  },
);

test('a text that was taken back before it was sealed is not sent by the next command', async () => {
  const isReading = ({ path }: { path: string }) => path.includes('/messages/');
  const { refCode, code, stderr, sent, next } = await endedCommand(isReading, 'SIGINT');
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: expect.stringContaining('was not sent, and is not kept'),
  });
  expect((await cli.answer(refCode, '--approve', 'Yes.')).code).toBe(0);
  expect(await next()).toMatchObject({ code: 0, stdout: 'Yes.\n' });
  expect(sent).toEqual([]);
});

/** The same job on two machines, which share the secret of their questions and no folder. */
test('another device of the agent has what the list shows', async () => {
  const secret = { RELAY_AGENT_SECRET: Buffer.alloc(32, 7).toString('base64') };
  const machine = (name: string) => {
    const env = { ...cli.agent, ...secret, RELAY_CONFIG_DIR: `${cli.folder}/${name}` };
    return (once: string, wait: string) =>
      cli.run(['ask', 'Where?', '--choice', 'eu', '--choice', 'us', '--once', once, '--wait', wait], { env });
  };
  const [one, other, third] = [machine('one'), machine('other'), machine('third')];
  const refCode = refCodeIn((await one('A', '1s')).stderr);
  await cli.answer(refCode, '--choose', 'eu');
  for (const run of [one, other]) expect(await run('A', '60s')).toMatchObject({ code: 0, stdout: 'eu\n' });
  await cli.answer(refCode, '--decline', 'Neither.');
  for (const run of [one, other]) expect(await run('A', '60s')).toMatchObject({ code: 0, stdout: 'eu\n' });
  const late = await third('A', '60s');
  expect(late).toMatchObject({
    code: 13,
    stderr: expect.stringContaining('Your expert has accepted, which does not count.'),
  });
});

/** The keys come by the recovery code; what the first device has sent comes by the list. */
test('another device of the expert adds to what the first one decided', async () => {
  const env = { ...cli.expert, RELAY_CONFIG_DIR: `${cli.folder}/laptop` };
  const input = JSON.parse((await cli.asExpert('keys', 'recovery', '--json')).stdout).recoveryCode;
  expect((await cli.run(['keys', 'restore'], { env, input })).code).toBe(0);
  const refCode = await cli.ask('Where?', '--choice', 'eu', '--choice', 'us');
  await cli.answer(refCode, '--choose', 'eu');
  const shown = await cli.run(['show', refCode], { env });
  expect(shown.stdout).toContain('- choice: eu');
  const second = await cli.answerAs(env, refCode, '--choose', 'us');
  expect(second).toMatchObject({ code: 14, stderr: expect.stringContaining('with other values') });
  expect(await resume(refCode)).toMatchObject({ code: 14, stdout: '' });
  expect((await cli.answerAs(env, refCode, '--decline', 'Neither.')).code).toBe(0);
  expect(await resume(refCode)).toMatchObject({ code: 13 });
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
