import type { Json, LyingRelay } from '@expert-relay/testkit';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { later, useTestCli } from '../testing/test-cli.ts';

/* An answer belongs to what was on standard output, and to nothing else. */

const cli = useTestCli();
let liar: LyingRelay;

beforeAll(async () => {
  liar = await cli.startLyingRelay();
  expect((await now('keys', 'make', '--json')).code).toBe(0);
});
afterEach(() => liar.tell({}));

const deceived = () => ({ ...cli.expert, RELAY_URL: liar.url, NO_COLOR: '1' });
const now = (...args: string[]) => cli.run(args, { env: deceived() });
const afterReading = (...args: string[]) => cli.run(args, { env: deceived(), ...later });

/** The agent's next answer, with whether it had seen the agent's last message. */
async function answersOf(refCode: string): Promise<Json[]> {
  const { stdout } = await cli.asAgent('ask', '--resume', refCode, '--json', '--include-early');
  return JSON.parse(stdout).answers;
}

const unseen = (text: RegExp) => ({ code: 12, stdout: '', stderr: expect.stringMatching(text) });

describe('a question that was never on standard output', () => {
  test.each([['answer', 'Yes.'], ['answer', 'Yes.', '--even-if-newer'], ['pickup']])(
    'is not signed by: relay %s %s %s',
    async (command, ...words) => {
      const refCode = await cli.ask('PRODUCTION?');
      const result = await afterReading(command, refCode, ...words);
      expect(result).toEqual(
        unseen(new RegExp(`was\\s+not\\s+shown\\s+here[\\s\\S]*relay\\s+show\\s+${refCode}`)),
      );
      const { stdout } = await cli.asAgent('show', refCode, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ status: 'pending', messages: [] });
    },
  );

  test('is shown at a terminal, and signed only after a yes', async () => {
    const refCode = await cli.ask('PRODUCTION?');
    for (const [typed, code] of [
      ['n\n', 12],
      ['y\n', 0],
    ] as const) {
      const asked = cli.start(['answer', refCode, 'Yes.'], { env: deceived(), columns: 80 });
      await asked.printed(/PRODUCTION\?[\s\S]*\(y\/N\)/);
      asked.type(typed);
      expect((await asked.ended).code).toBe(code);
    }
    expect(await answersOf(refCode)).toMatchObject([{ text: 'Yes.', seenYourLast: true }]);
  });

  test('is not shown at a terminal where the output is one JSON object', async () => {
    const refCode = await cli.ask('PRODUCTION?');
    const args = ['answer', refCode, 'Yes.', '--json'];
    const { code, stdout } = await cli.start(args, { env: deceived(), columns: 80 }).ended;
    expect({ code, ...JSON.parse(stdout.trim().split('\n').at(-1) ?? '') }).toMatchObject({
      code: 12,
      outcome: 'unseen',
      error: { message: expect.stringContaining(`relay show ${refCode}`) },
    });
    expect(stdout).not.toContain('PRODUCTION');
  });

  test('counts as shown five seconds after it was printed, not before', async () => {
    const refCode = await cli.ask('May I?');
    // This machine's clock went back: what was printed lies in the future.
    expect((await afterReading('show', refCode)).code).toBe(0);
    expect(await now('answer', refCode, 'Yes.')).toEqual(unseen(/only\s+now/));
    // A script that reads `relay listen --json` says that it needs no time.
    expect((await now('answer', refCode, 'Yes.', '--even-if-newer')).code).toBe(0);
  });
});

describe('what a command prints counts as shown', () => {
  test.each([
    ['show', 'HS'],
    ['show', 'HS', '--json'],
    ['show', '--json'],
  ])('relay %s %s %s', async (...words) => {
    const refCode = await cli.ask('Shown?');
    const args = words.filter(Boolean).map((word) => (word === 'HS' ? refCode : word));
    expect((await now(...args)).stdout).toContain('Shown?');
    expect((await afterReading('answer', refCode, 'Yes.')).code).toBe(0);
  });

  test.each([[[]], [['--json']]])('relay listen %j, with the requests of its list', async (options) => {
    const refCode = await cli.ask('Listed?');
    const listening = cli.start(['listen', ...options], { env: deceived() });
    await listening.printed(new RegExp(`${refCode}[\\s\\S]*Listed\\?`));
    // It marks each request after it was written, in the order of the list.
    const last = await cli.ask('Last?');
    await listening.printed(new RegExp(last));
    listening.kill('SIGTERM');
    await listening.ended;
    expect((await afterReading('answer', refCode, 'Yes.')).code).toBe(0);
  });

  test('one line of relay show is not the question', async () => {
    const refCode = await cli.ask('Listed?\nI mean PRODUCTION.');
    expect((await now('show')).stdout).toContain('Listed?');
    expect((await afterReading('answer', refCode, 'Yes.')).code).toBe(12);
  });

  test('a question of relay show cannot be exchanged for another one', async () => {
    const refCode = await cli.ask('PRODUCTION?');
    const test = (answer: Json) => {
      if (answer.refCode === refCode) answer.question = 'Only test?';
    };
    liar.tell({
      answer(answer) {
        test(answer);
        for (const row of (answer.requests ?? []) as Json[]) test(row);
        return answer;
      },
    });
    expect((await now('show', '--json')).stdout).toContain('Only test?');
    liar.tell({});
    for (const args of [
      ['answer', refCode, 'Yes.'],
      ['pickup', refCode],
      ['show', refCode],
    ]) {
      const { code, stdout, stderr } = await afterReading(...args);
      expect({ code, text: stdout + stderr }).toEqual({
        code: 7,
        text: expect.not.stringContaining('PRODUCTION'),
      });
    }
    const listed = await now('show');
    expect(listed.stdout).toMatch(new RegExp(`${refCode} .*refused: question_altered`));
    const listening = cli.start(['listen'], { env: deceived() });
    const [text] = await listening.printed(
      new RegExp(`${refCode} [\\s\\S]*?It is not what was shown before`),
    );
    expect(text).not.toContain('PRODUCTION');
    listening.kill('SIGTERM');
    await listening.ended;
  });
});

describe('a message that the relay hides until the answer', () => {
  /** The agent's WAIT arrives after `relay show` has printed the conversation. */
  async function hidden(): Promise<string> {
    const refCode = await cli.ask('May I?');
    expect((await now('show', refCode)).code).toBe(0);
    expect((await afterReading('answer', refCode, 'Say more.')).code).toBe(0);
    expect((await cli.asAgent('ask', '--resume', refCode, '--wait', '60s')).code).toBe(0);
    await cli.asAgent('ask', '--resume', refCode, 'WAIT', '--no-wait');
    return refCode;
  }

  test('is not answered', async () => {
    const refCode = await hidden();
    expect(await afterReading('answer', refCode, 'Yes.')).toEqual(unseen(/newer\s+message/));
    expect((await now('show', refCode)).stdout).toContain('WAIT');
    expect((await afterReading('answer', refCode, 'Then not.')).code).toBe(0);
    expect(await answersOf(refCode)).toMatchObject([{ text: 'Then not.', seenYourLast: true }]);
  });

  test('is shown at a terminal, before anything is sent', async () => {
    const refCode = await hidden();
    const asked = cli.start(['answer', refCode, 'Yes.'], { env: deceived(), ...later, columns: 80 });
    await asked.printed(/WAIT[\s\S]*\(y\/N\)/);
    asked.type('n\n');
    expect((await asked.ended).code).toBe(12);
  });

  test('is not linked to with --even-if-newer', async () => {
    const refCode = await hidden();
    expect((await afterReading('answer', refCode, 'Yes.', '--even-if-newer')).code).toBe(0);
    expect(await answersOf(refCode)).toMatchObject([{ text: 'Yes.', seenYourLast: false }]);
  });
});
