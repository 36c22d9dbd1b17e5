import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createRelay } from '@expert-relay/sdk';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import { eventually, type Json, type LyingRelay } from '@expert-relay/testkit';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { relayName } from '../store/relay-name.ts';
import { storeFolder } from '../store/store.ts';
import { later, readAgainMs, useTestCli } from '../testing/test-cli.ts';

const cli = useTestCli();
let liar: LyingRelay;

beforeAll(async () => {
  liar = await cli.startLyingRelay();
  expect((await cli.asExpert('keys', 'make', '--json')).code).toBe(0);
});
afterEach(() => liar.tell({}));

const deceived = () => ({ ...cli.expert, RELAY_URL: liar.url, NO_COLOR: '1' });
const asDeceivedExpert = (...args: string[]) => cli.run(args, { env: deceived() });

/** How many messages the relay has, without a lie. */
async function messagesOf(refCode: string): Promise<number> {
  const { stdout } = await cli.asExpert('show', refCode, '--json');
  return JSON.parse(stdout).messages.length;
}

const members = (side: 'consumer' | 'provider') => [`${side}SignPubKey`, `${side}EncryptPubKey`] as const;

/** Changes the answers about all requests. */
function alter(change: (answer: Json) => void): void {
  liar.tell({
    answer(answer, { path }) {
      if (path.includes('/messages/')) change(answer);
      return answer;
    },
  });
}
const withoutKeys = (answer: Json) => {
  for (const name of [...members('consumer'), ...members('provider')]) answer[name] = null;
  delete answer.keySignature;
};

describe('an expert whose machine has read a request before', () => {
  async function newKeysOfAgent(): Promise<Json> {
    const refCode = await cli.ask('Other?');
    let keys: Json = {};
    alter((answer) => {
      keys = Object.fromEntries(members('consumer').map((name) => [name, answer[name]]));
    });
    await asDeceivedExpert('show', refCode);
    expect(keys.consumerSignPubKey).toMatch(/BEGIN PUBLIC KEY/);
    return keys;
  }

  test.each(['new keys', 'no keys', 'no messages'])('refuses %s', async (lie) => {
    const keys = await newKeysOfAgent();
    const refCode = await cli.ask('May I?');
    liar.tell({});
    if (lie === 'no messages') expect((await cli.answerAs(deceived(), refCode, 'Wait.')).code).toBe(0);
    else expect((await asDeceivedExpert('show', refCode)).code).toBe(0);
    const before = await messagesOf(refCode);
    alter((answer) => {
      withoutKeys(answer);
      if (lie !== 'no keys') Object.assign(answer, keys);
      answer.messages = [];
    });
    for (const args of [[], ['--plaintext']]) {
      const { code, stderr, stdout } = await cli.answerAs(deceived(), refCode, 'Yes.', ...args, '--json');
      expect({ code, stderr, error: JSON.parse(stdout).error }).toEqual({
        code: 7,
        stderr: expect.stringMatching(/gone or have changed\..*over another channel/),
        error: expect.objectContaining({ code: 'untrusted', reason: 'keys_changed' }),
      });
    }
    expect((await asDeceivedExpert('show', refCode)).code).toBe(7);
    liar.tell({});
    expect(await messagesOf(refCode)).toBe(before);
    expect((await cli.answerAs(deceived(), refCode, 'Yes.')).code).toBe(0);
  });
});

test('on a machine without keys, an answer to an agent with keys is sent in plain text only with --plaintext', async () => {
  const refCode = await cli.ask('Encrypted?');
  const env = { ...cli.expert, RELAY_CONFIG_DIR: `${cli.folder}/without-keys` };
  const { code, stderr } = await cli.answerAs(env, refCode, 'Yes.');
  expect({ code, stderr }).toEqual({
    code: 10,
    stderr: expect.stringMatching(/relay keys make.*--plaintext/),
  });
  expect(await messagesOf(refCode)).toBe(0);
  const sent = await cli.answerAs(env, refCode, 'Yes.', '--plaintext');
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('in plain text') });
  expect(await messagesOf(refCode)).toBe(1);
});

test.each([['--approve'], ['--decline'], ['--approve', '--plaintext']])(
  'on a machine without keys, a decision is refused with %s, and the way out is keys',
  async (...args) => {
    const asking = cli.start(['approve', 'Restart it?'], { env: cli.agent });
    const [asked] = await asking.printed(/HS-[0-9A-Z]{8}/);
    const env = { ...cli.expert, RELAY_CONFIG_DIR: `${cli.folder}/without-keys` };
    const { code, stderr } = await cli.answerAs(env, asked, ...args);
    expect({ code, stderr }).toEqual({
      code: 10,
      stderr: expect.stringMatching(/relay keys make\..* relay keys restore\.\n$/),
    });
    expect(await messagesOf(asked)).toBe(0);
    asking.kill('SIGINT');
    await asking.ended;
  },
);

test('a confidential request is not answered before its question has come', async () => {
  const refCode = await cli.ask('Customer 4711?', '--confidential');
  expect(await cli.answer(refCode, 'Yes.')).toMatchObject({
    code: 12,
    stderr: expect.stringMatching(new RegExp(`^Not sent: .* relay pickup ${refCode}\n$`, 's')),
  });
  expect(await messagesOf(refCode)).toBe(0);
  expect((await cli.pickUp(refCode, '--wait', '1s')).code).toBe(0);
  expect(await cli.answer(refCode, 'Yes.', '--without-parts')).toMatchObject({
    code: 12,
    stderr: expect.stringContaining('the agent has announced the question'),
  });
  expect(await messagesOf(refCode)).toBe(0);
});

test('an answer to a closed request is not sent, and the error says how to go on', async () => {
  const refCode = await cli.ask('Too late?');
  expect((await cli.asAgent('close', refCode)).code).toBe(0);
  for (const args of [
    ['answer', refCode, 'Yes.'],
    ['pickup', refCode],
  ]) {
    const { code, stderr } = await cli.asExpert(...args);
    expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
      code: 4,
      stderr: `${refCode} is closed, so nothing was sent. To go on, the agent makes a new request. `,
    });
  }
});

test('after an answer, the last message of the agent is printed', async () => {
  const refCode = await cli.ask('May I remove the lock?');
  const first = await cli.answer(refCode, 'Yes.');
  expect(first.stdout).toMatch(/The question:\n {2}May I remove the lock\?/);
  await cli.asAgent('ask', '--resume', refCode, 'And the log?', '--no-wait');
  const second = await cli.answer(refCode, 'No.');
  expect(second.stdout).toMatch(/The last message of the agent:\n {2}And the log\?/);
  expect(second.stdout).not.toContain('May I remove the lock?');
});

test('a yes at the terminal covers all that was shown, also what arrived while the question was shown', async () => {
  const { RELAY_URL: url = '', RELAY_API_KEY: apiKey = '' } = cli.agent;
  const agent = createRelay({ url, apiKey });
  const conversation = await agent.ask({ question: 'May I?', encrypted: false });
  const { refCode, requestId } = conversation;
  let reads = 0;
  let sending: Promise<unknown> | undefined;
  let isSent = false;
  liar.tell({
    swallow({ path }) {
      if (!path.includes(`/messages/${requestId}`) || isSent) return undefined;
      reads += 1;
      if (reads === 1) return undefined;
      // Before the second read: the command has read the messages, and is about to show them.
      sending ??= conversation.send('The second one.').then(() => {
        isSent = true;
      });
      return { status: 503, body: {} };
    },
  });
  const env = { ...deceived(), RELAY_CONFIG_DIR: `${cli.folder}/at-terminal` };
  const run = cli.start(['answer', refCode, 'Yes.', '--plaintext'], { env, columns: 80 });
  await run.printed(/The second one\.[\s\S]*Is this what you mean\?/);
  await sending;
  await conversation.send('The third one.');
  await pause(readAgainMs);
  run.type('y\n');
  await run.printed(/The second one\.[\s\S]*The second one\.[\s\S]*The third one\.[\s\S]*unchanged\?/);
  run.type('y\n');
  const { code, stdout } = await run.ended;
  expect({ code, stdout: stdout.split('unchanged?').at(-1) }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/The last message of the agent:\s+The third one\./),
  });
  agent.stop();
});

test.each([
  ['an answer', ['Yes.'], 'while the user is asked'],
  ['an answer', ['Yes.'], 'before the user is asked'],
  ['a decision', ['--approve'], 'while the user is asked'],
  ['a decision', ['--approve'], 'before the user is asked'],
])(
  '%s, sent by %j, whose call arrives late, %s, counts after a yes at the terminal',
  async (_what, words, when) => {
    const { RELAY_URL: url = '', RELAY_API_KEY: apiKey = '' } = cli.agent;
    const agent = createRelay({ url, apiKey });
    const form = { type: 'object', properties: {} } as const;
    const conversation = await agent.ask({ question: 'May I?', form });
    const { refCode } = conversation;
    expect((await cli.pickUp(refCode, '--wait', '1s')).code).toBe(0);
    await conversation.refresh();
    let late: { path: string; body: Json } | undefined;
    let isSent = false;
    let reads = 0;
    let arriving: Promise<void> | undefined;
    let hasArrived = false;
    async function arrive(): Promise<void> {
      const { status } = await fetch(url + late?.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': cli.expert.RELAY_API_KEY ?? '' },
        body: JSON.stringify(late?.body),
      });
      expect(status).toBe(201);
      hasArrived = true;
    }
    liar.tell({
      swallow({ method, path, body }) {
        const isFirst = method === 'POST' && path.includes('/message/') && !late;
        if (isFirst) {
          late = { path, body };
          conversation.send('Wait!').then(() => {
            isSent = true;
          });
        }
        if (isFirst || (late && !isSent)) return { status: 503, body: {} };
        if (!late || hasArrived || when.startsWith('while') || !path.includes('/messages/')) return undefined;
        // The first read finds what is newer, and the second one is for the user.
        reads += 1;
        if (reads === 1) return undefined;
        arriving ??= arrive();
        return { status: 503, body: {} };
      },
    });
    const run = cli.start(['answer', refCode, ...words], { env: deceived(), columns: 80, ...later });
    await run.printed(/Wait![\s\S]*unchanged\?/);
    await (arriving ?? arrive());
    run.type('y\n');
    expect(await run.ended).toMatchObject({ code: 0 });
    // The first one has not seen what is newer, so the agent does not go by it.
    expect(await messagesOf(refCode)).toBe(3);
    agent.stop();
  },
);

test.each(['show', 'pickup', 'show as the agent'])(
  'relay %s reports no outage after Ctrl-C',
  async (name) => {
    const isAgent = name.endsWith('agent');
    const refCode = await cli.ask('Still there?');
    if (isAgent) {
      // The agent keeps conversations by the address.
      const folder = storeFolder(`${cli.folder}/agent`, 'agents');
      const [real = '', lying = ''] = [cli.relay.gatewayUrl, liar.url].map(relayName);
      for (const name of readdirSync(folder).filter((one) => one.includes(real)))
        copyFileSync(join(folder, name), join(folder, name.replace(real, lying)));
    }
    const env = isAgent ? { ...cli.agent, RELAY_URL: liar.url } : deceived();
    /** What it prints when it is interrupted at its first failing call. On a busy machine an outage may last for long before. */
    async function interrupted(): Promise<string> {
      let reads = 0;
      const readsBefore = isAgent ? 1 : 0;
      liar.tell({
        swallow({ path }) {
          if (!path.includes('/messages/')) return undefined;
          reads += 1;
          return reads > readsBefore ? { status: 503, body: {} } : undefined;
        },
      });
      const run = cli.start([name.split(' ')[0] ?? '', refCode], { env });
      // A command that ends before its failing call shows why.
      await Promise.race([run.ended, eventually('a failing call', () => reads > readsBefore)]);
      run.kill('SIGINT');
      const { code, stderr } = await run.ended;
      expect({ code, stderr }).toMatchObject({ code: 130 });
      return stderr;
    }
    await eventually('an end without a report', async () => !(await interrupted()).includes('Retrying'));
  },
);

test('a request that was picked up with other keys of this side is no reason for an alarm', async () => {
  const refCode = await cli.ask('Who answers?');
  const bot = createExpert({
    url: cli.relay.gatewayUrl,
    apiKey: cli.expert.RELAY_API_KEY ?? '',
    root: makeRoot(),
  });
  await (await bot.request(refCode)).pickUp();
  bot.stop();
  const { code, stderr } = await cli.asExpert('show', refCode);
  expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
    code: 7,
    stderr: expect.stringMatching(
      /picked up with other keys than yours\. Answer it where those are\. Unless your own side did this, /,
    ),
  });
});

describe('on a machine with keys, plain text', () => {
  const refused = {
    code: 2,
    stderr: expect.stringMatching(/^Not sent: HS-.* came without keys.* --plaintext\n$/s),
  };

  test('is sent only with --plaintext, each time', async () => {
    const refCode = await cli.ask('In the open?', '--plaintext');
    expect(await cli.answerAs(deceived(), refCode, 'Yes.')).toMatchObject(refused);
    expect(await messagesOf(refCode)).toBe(0);
    expect((await cli.answerAs(deceived(), refCode, 'Yes.', '--plaintext')).stdout).toContain(
      'in plain text',
    );
    expect(await cli.answerAs(deceived(), refCode, 'More.')).toMatchObject(refused);
    expect(await messagesOf(refCode)).toBe(1);
  });

  test('is not sent either when the relay states another user id of the expert', async () => {
    const refCode = await cli.ask('Who are you?');
    liar.tell({
      answer(answer, { path }) {
        if (path.includes('/whoami')) answer.userId = 'another-user';
        if (path.includes('/messages/')) withoutKeys(answer);
        return answer;
      },
    });
    expect(await cli.answerAs(deceived(), refCode, 'Yes.')).toMatchObject(refused);
    liar.tell({});
    expect(await messagesOf(refCode)).toBe(0);
  });
});
