import type { Json, LyingRelay } from '@expert-relay/testkit';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunOptions } from './testing/command-runner.ts';
import { later, useTestCli } from './testing/test-cli.ts';

/* What a command does when its result cannot be written: nothing reads the pipe any more, or the disk is full. */

const cli = useTestCli();
let liar: LyingRelay;
beforeAll(async () => {
  liar = await cli.startLyingRelay();
  expect((await run('expert', ['keys', 'make', '--json'])).code).toBe(0);
});
afterEach(() => liar.tell({}));

const envOf = (side: 'agent' | 'expert') => ({ ...cli[side], RELAY_URL: liar.url });
const run = (side: 'agent' | 'expert', args: string[], options: RunOptions = {}) =>
  cli.run(args, { env: envOf(side), ...options });
const stateOf = async (refCode: string) =>
  JSON.parse((await run('agent', ['show', refCode, '--json'])).stdout) as { status: string };

async function answer(refCode: string, ...words: string[]): Promise<void> {
  await run('expert', ['show', refCode]);
  expect((await run('expert', ['answer', refCode, ...words], later)).code).toBe(0);
}

/** Runs a command of an agent with such an output, and answers it. */
async function runAnswered(stdout: 'closed' | 'full', args: string[], words: string[]) {
  const { printed, ended } = cli.start(args, { env: envOf('agent'), stdout });
  const [refCode] = await printed(/HS-\w{8}/);
  await answer(refCode, ...words);
  return { refCode, ...(await ended) };
}

const noSpace = /^The output could not be written \(ENOSPC\)/m;
const anything = /^/;

describe('a decision that could not be printed', () => {
  const ask = ['ask', 'Where?', '--choice', 'eu'];
  test.each<['closed' | 'full', string[], string[], number]>([
    ['closed', ['approve', 'Delete it?', '--json'], ['--decline', 'No.'], 13],
    ['closed', ['approve', 'Delete it?'], ['--approve', 'Yes.'], 0],
    ['closed', ask, ['--choose', 'eu'], 0],
    ['full', ['approve', 'Delete it?', '--json'], ['--approve', 'Yes.'], 1],
    ['full', ['approve', 'Delete it?'], ['--decline', 'No.'], 13],
    ['full', [...ask, '--json'], ['--decline', 'No.'], 13],
    ['full', ask, ['--choose', 'eu'], 1],
  ])(
    'to a %s output: %j, %j ends with %i, and is printed by the next run',
    async (stdout, args, words, code) => {
      const result = await runAnswered(stdout, args, words);
      expect(result.code).toBe(code);
      expect(result.stderr).toMatch(stdout === 'full' ? noSpace : anything);
      expect(result.stderr).not.toMatch(/\bat \w+|Error:/);
      const { refCode } = result;
      expect((await stateOf(refCode)).status).toBe(args[0] === 'approve' ? 'closed' : 'responded');
      const again = await run('agent', ['ask', '--resume', refCode, '--json']);
      expect(JSON.parse(again.stdout)).toMatchObject({
        decision: { action: code === 13 ? 'decline' : 'accept' },
      });
    },
  );

  test('to a full stderr, it ends with its own exit code', async () => {
    const asking = cli.start(['approve', 'Delete it?'], { env: envOf('agent'), stderr: 'full' });
    const listed = async () => {
      const { stdout } = await run('agent', ['show']);
      return /HS-\w{8}(?= +pending.*Delete it)/.exec(stdout)?.[0];
    };
    let refCode = await listed();
    while (refCode === undefined) refCode = await listed();
    await answer(refCode, '--decline', 'No.');
    expect(await asking.ended).toMatchObject({ code: 13, stdout: 'No.\n' });
    expect((await stateOf(refCode)).status).toBe('closed');
  });
});

test.each([
  ['closed', 0],
  ['full', 1],
] as const)(
  'an answer that could not be printed, to a %s output, is printed by the next run',
  async (stdout, code) => {
    const result = await runAnswered(stdout, ['ask', 'Why?'], ['Because.']);
    expect(result.code).toBe(code);
    const again = await run('agent', ['ask', '--resume', result.refCode]);
    expect(again).toMatchObject({ code: 0, stdout: 'Because.\n' });
  },
);

describe.each(['closed', 'full'] as const)('to a %s output', (stdout) => {
  const isFull = stdout === 'full';

  test('a refused message stays refused', async () => {
    const refCode = (await run('agent', ['ask', 'May I?', '--no-wait'])).stdout.trim();
    await answer(refCode, 'Yes.');
    await run('agent', ['ask', '--resume', refCode]);
    await run('agent', ['ask', '--resume', refCode, 'And now?', '--no-wait']);
    await answer(refCode, 'Yes again.');
    liar.tell({
      answer(all, { path }) {
        const messages = path.includes('/messages/') ? (all.messages as Json[]) : [];
        for (const message of messages.slice(1)) message.signature = Buffer.alloc(64).toString('base64');
        return all;
      },
    });
    for (const [side, args] of [
      ['agent', ['show', refCode]],
      ['expert', ['show', refCode]],
      ['expert', ['show', refCode, '--json']],
      ['expert', ['pickup', refCode, '--wait', '1s']],
    ] as const) {
      const result = await run(side, [...args], { stdout });
      expect({ side, args, code: result.code, stderr: result.stderr }).toMatchObject({ code: 7 });
    }
  });

  test('a question that could not be printed was not shown', async () => {
    const refCode = (await run('agent', ['ask', 'PRODUCTION?', '--no-wait'])).stdout.trim();
    for (const args of [
      ['show', refCode],
      ['show', refCode, '--json'],
      ['show', '--json'],
    ]) {
      expect({ args, ...(await run('expert', args, { stdout })) }).toMatchObject({
        args,
        code: isFull ? 1 : 0,
      });
      expect((await run('expert', ['answer', refCode, 'Yes.'], later)).code).toBe(12);
    }
    const listening = await cli.start(['listen', '--json'], { env: envOf('expert'), stdout }).ended;
    expect(listening).toMatchObject({ code: isFull ? 1 : 0 });
    expect((await run('expert', ['answer', refCode, 'Yes.'], later)).code).toBe(12);
  });

  test.each([[['make', '--replace']], [['recovery']]])(
    'a recovery code that could not be printed changes nothing: relay keys %j',
    async (args) => {
      const keys = async () => (await run('expert', ['keys', '--json'])).stdout;
      const vault = async () => {
        const headers = { 'x-api-key': cli.expert.RELAY_API_KEY ?? '' };
        return await (await fetch(`${cli.relay.gatewayUrl}/api/v1/vault`, { headers })).text();
      };
      const before = [await keys(), await vault()];
      const { code, stderr } = await run('expert', ['keys', ...args], { stdout });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/nothing\s+was\s+changed/) });
      expect([await keys(), await vault()]).toEqual(before);
    },
  );

  test.each(['make', 'recovery'])(
    'a recovery code that could not be printed as JSON is a failure, which says how to get another one: relay keys %s',
    async (action) => {
      const { providerKey } = await cli.relay.makeTenant();
      const folder = `${cli.folder}/${crypto.randomUUID()}`;
      const env = { ...cli.expert, RELAY_API_KEY: providerKey, RELAY_CONFIG_DIR: folder };
      const keys = (...args: string[]) => cli.run(['keys', ...args, '--json'], { env });
      if (action === 'recovery') expect((await keys('make')).code).toBe(0);
      const { code, stderr } = await cli.run(['keys', action, '--json'], { env, stdout });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/relay\s+keys\s+recovery/) });
      const { recoveryCode } = JSON.parse((await keys('recovery')).stdout);
      const other = { ...env, RELAY_CONFIG_DIR: `${folder}-other` };
      expect(await cli.run(['keys', 'restore'], { env: other, input: recoveryCode })).toMatchObject({
        code: 0,
      });
    },
  );

  test('no failure becomes a success', async () => {
    const { otherConsumerKey } = await cli.relay.makeTenant();
    const refCode = (await run('agent', ['ask', 'Mine?', '--no-wait'])).stdout.trim();
    const foreign = { ...envOf('agent'), RELAY_API_KEY: otherConsumerKey };
    const nowhere = { ...envOf('agent'), RELAY_URL: 'http://127.0.0.1:1' };
    const wrongKey = { ...envOf('agent'), RELAY_API_KEY: `hs_${'a'.repeat(38)}` };
    for (const [code, args, env] of [
      [9, ['show', refCode, '--json'], foreign],
      [9, ['listen', refCode], foreign],
      [6, ['whoami', '--json'], wrongKey],
      [3, ['approve', 'Now?', '--wait', '1s', '--json'], envOf('agent')],
      [2, ['aks', '--json'], envOf('agent')],
      [1, ['doctor'], nowhere],
      [1, ['doctor', '--json'], nowhere],
    ] as const) {
      const result = await run('agent', [...args], { env, stdout });
      expect({ args, code: result.code, stderr: result.stderr }).toMatchObject({ args, code });
    }
  });

  test('what was done is done where nothing reads it, and is a failure where it could not be written', async () => {
    const refCode = (await run('agent', ['ask', 'Closed?', '--no-wait'])).stdout.trim();
    const settings = { folder: cli.folder };
    for (const args of [
      ['help'],
      ['whoami'],
      ['keys', '--json'],
      ['ask', 'No wait?', '--no-wait'],
      ['close', refCode],
      ['mcp', 'config', 'claude-code'],
      ['hook', 'install', 'claude', '--project', '--yes'],
      ['hook', 'uninstall', 'claude', '--project', '--yes'],
    ]) {
      const { code, stderr } = await run('agent', args, { ...settings, stdout });
      expect({ args, code, stderr }).toMatchObject({ args, code: isFull ? 1 : 0 });
      expect(stderr).toMatch(isFull ? noSpace : anything);
      expect(stderr).not.toMatch(/\bat \w+|Error:/);
    }
    // A coding agent takes other exit codes of a hook for a decision, or for an error.
    const hook = await run('agent', ['hook'], { stdout, input: '{}' });
    expect(hook.code).toBe(0);
  });
});
