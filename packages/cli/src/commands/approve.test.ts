import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { eventually } from '@expert-relay/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Run } from '../testing/command-runner.ts';
import { useTestCli } from '../testing/test-cli.ts';

/* What a program acts on: only an accepted decision is exit code 0. */

const cli = useTestCli();
beforeAll(async () => {
  expect((await cli.asExpert('keys', 'make', '--json')).code).toBe(0);
});

const write = (name: string, content: string | Uint8Array): string => {
  const path = `${cli.folder}/${name}`;
  writeFileSync(path, content);
  return path;
};
const flat = (text: string) => text.replaceAll(/\s+/g, ' ');
const statusOf = async (refCode: string) => {
  const { stdout } = await cli.asAgent('show', refCode, '--json');
  return JSON.parse(stdout).status as string;
};

/** Starts a command of an agent, and returns its reference code. */
async function start(...args: string[]): Promise<Run & { refCode: string }> {
  const run = cli.start(args, { env: cli.agent });
  const [refCode] = await run.printed(/HS-\w{8}/);
  return { ...run, refCode };
}

describe('relay approve', () => {
  test.each([
    [['--approve', 'Only this one.'], 0, 'Only this one.\n', /approved/],
    [['--approve'], 0, '', /approved/],
    [['--decline', 'Not today.'], 13, 'Not today.\n', /declined/],
  ])('%j ends with %i', async (args, code, stdout, told) => {
    const { refCode, ended } = await start('approve', 'Delete it?');
    expect((await cli.answer(refCode, ...args)).code).toBe(0);
    expect(await ended).toEqual({ code, stdout, stderr: expect.stringMatching(told) });
    expect(await statusOf(refCode)).toBe('closed');
  });

  test('a yes in words is no approval: it is printed, and the command goes on waiting', async () => {
    const { refCode, ended, printed } = await start('approve', 'Delete it?', '--keep-open', '--json');
    expect((await cli.answer(refCode, 'Yes, approved.')).code).toBe(0);
    await printed(/has not decided[\s\S]*Yes, approved\./);
    expect((await cli.answer(refCode, '--decline', 'No.')).code).toBe(0);
    const { code, stdout } = await ended;
    expect({ code, result: JSON.parse(stdout) }).toEqual({
      code: 13,
      result: expect.objectContaining({
        outcome: 'declined',
        exit: 13,
        refCode,
        status: 'responded',
        decision: expect.objectContaining({ action: 'decline', comment: 'No.', protection: 'sequenced' }),
        answers: [expect.objectContaining({ text: 'Yes, approved.' })],
      }),
    });
  });

  test('with --once a later run waits again, and prints the decision as often as it runs', async () => {
    const args = ['approve', 'Delete it once?', '--once', 'delete it'];
    const first = await cli.asAgent(...args, '--wait', '1s');
    expect(first.code).toBe(3);
    const [refCode = ''] = /HS-\w{8}/.exec(first.stderr) ?? [];
    expect(await statusOf(refCode)).toBe('pending');
    expect((await cli.answer(refCode, '--decline', 'Not today.')).code).toBe(0);
    for (const _run of [1, 2]) {
      expect(await cli.asAgent(...args)).toMatchObject({ code: 13, stdout: 'Not today.\n' });
      expect(await statusOf(refCode)).toBe('responded');
    }
  });

  test('the age of a decision is printed, and --valid-for limits that of an approval', async () => {
    const args = ['approve', 'Delete it at once?', '--once', 'its age'];
    const first = await cli.asAgent(...args, '--wait', '1s');
    const [refCode = ''] = /HS-\w{8}/.exec(first.stderr) ?? [];
    expect((await cli.answer(refCode, '--approve', 'Yes.')).code).toBe(0);
    const run = (ageMs: number, ...options: string[]) =>
      cli.start([...args, ...options], { env: cli.agent, clockAheadMs: ageMs }).ended;
    const now = await run(0, '--valid-for', '1h');
    expect(now).toMatchObject({ code: 0, stdout: 'Yes.\n', stderr: expect.not.stringMatching(/Decided/) });
    const later = await run(7_200_000);
    expect({ ...later, stderr: flat(later.stderr) }).toMatchObject({
      code: 0,
      stdout: 'Yes.\n',
      stderr: expect.stringMatching(
        /Decided \d{4}-\S+ \S+, 2 hours ago, by the clock of the expert's device\./,
      ),
    });
    const refused = await run(7_200_000, '--valid-for', '1h', '--json');
    expect({ code: refused.code, ...JSON.parse(refused.stdout) }).toMatchObject({
      code: 15,
      outcome: 'stale',
      exit: 15,
      error: { code: 'decision_too_old' },
    });
    expect(flat(refused.stderr)).toMatch(/longer ago than 3600 s\. .* no decline: ask again\./);
  });

  test('in plain text, which the relay could have written', async () => {
    const { refCode, ended } = await start('approve', 'Delete it?', '--plaintext');
    expect((await cli.answer(refCode, '--approve', 'Yes.', '--plaintext')).code).toBe(0);
    expect(await ended).toEqual({ code: 0, stdout: 'Yes.\n', stderr: expect.stringMatching(/Plain text/) });
  });

  test('words in plain text to a plain question are printed, and the command goes on waiting', async () => {
    const { refCode, ended, printed } = await start('approve', 'Delete it?', '--plaintext');
    expect((await cli.answer(refCode, 'Which one?', '--plaintext')).code).toBe(0);
    await printed(/has not decided[\s\S]*Which one\?/);
    expect((await cli.answer(refCode, '--decline', 'No.', '--plaintext')).code).toBe(0);
    expect(await ended).toMatchObject({ code: 13, stdout: 'No.\n' });
  });

  test.each([
    ['timeout', 3, /No decision within .* was closed: a later decision has no effect/],
    ['SIGINT', 130, /Stopped waiting\..* was closed: a later decision has no effect/],
    ['SIGTERM', 143, /Stopped waiting\..* was closed: a later decision has no effect/],
    ['SIGQUIT', 143, /Stopped waiting\..* was closed: a later decision has no effect/],
    ['a closed conversation', 4, /was closed, and nothing was decided/],
  ])('%s is neither a yes nor a no: exit code %i', async (end, code, sentence) => {
    const { refCode, ended, printed, kill } = await start(
      'approve',
      'Delete it?',
      '--wait',
      end === 'timeout' ? '1s' : '60s',
    );
    await printed(/Waiting up to/);
    if (end.startsWith('SIG')) kill(end as NodeJS.Signals);
    if (end === 'a closed conversation') expect((await cli.asExpert('close', refCode)).code).toBe(0);
    const result = await ended;
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(flat(result.stderr)).toMatch(sentence);
    expect(await statusOf(refCode)).toBe('closed');
  });

  test('after a timeout its JSON says that the conversation is closed', async () => {
    const { code, stdout } = await cli.asAgent('approve', 'Delete it?', '--wait', '1s', '--json');
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 3, status: 'closed' });
  });

  test('Ctrl-C while the relay takes the question withdraws it', async () => {
    const liar = await cli.startLyingRelay();
    liar.tell({ delay: 1_000 });
    const question = `Delete ${crypto.randomUUID()}?`;
    const env = { ...cli.agent, RELAY_URL: liar.url };
    const { kill, ended } = cli.start(['approve', question], { env });
    const listed = async () => {
      const { stdout } = await cli.asExpert('show', '--json');
      return (JSON.parse(stdout).requests as { question: string; status: string }[]).find(
        (one) => one.question === question,
      );
    };
    await eventually('the question', listed);
    kill('SIGINT');
    expect((await ended).code).toBe(130);
    await eventually('the question to be closed', async () => (await listed())?.status === 'closed');
  });

  test('a question of which the relay has not taken all is closed', async () => {
    const liar = await cli.startLyingRelay();
    let requestId = '';
    const alter = (answer: Record<string, unknown>) => {
      requestId = String(answer.requestId);
      return { ...answer, answerForm: undefined };
    };
    liar.tell({ answer: (answer, { path }) => (path === '/api/v1/help' ? alter(answer) : answer) });
    const env = { ...cli.agent, RELAY_URL: liar.url };
    const { code, stderr } = await cli.run(['approve', 'Delete it?'], { env });
    expect({ code, stderr: flat(stderr) }).toEqual({
      code: 7,
      stderr: expect.stringMatching(/did not take the `answerForm`.*The question was closed/),
    });
    const { requests } = JSON.parse((await cli.asExpert('show', '--json')).stdout);
    expect(requests).toContainEqual(expect.objectContaining({ requestId, status: 'closed' }));
  });

  test('nothing stays open behind a terminal that was closed', async () => {
    const { printed, kill } = cli.start(['approve', 'Delete it?'], { env: cli.agent, columns: 80 });
    const [refCode] = await printed(/HS-\w{8}/);
    await printed(/Waiting up to/);
    // Of the program that has the other end of the terminal.
    kill('SIGKILL');
    await eventually('the conversation to be closed', async () => (await statusOf(refCode)) === 'closed');
  });

  test('two contradicting decisions are neither: exit code 14', async () => {
    const { refCode } = await start('ask', 'Where?', '--choice', 'eu', '--choice', 'us', '--no-wait');
    expect((await cli.answer(refCode, '--choose', 'eu')).code).toBe(0);
    expect((await cli.answer(refCode, '--choose', 'us')).code).toBe(14);
    const { code, stdout, stderr } = await cli.asAgent('ask', '--resume', refCode);
    expect({ code, stdout, stderr: flat(stderr) }).toEqual({
      code: 14,
      stdout: '',
      stderr: expect.stringMatching(/neither a yes nor a no/),
    });
  });
});

describe('relay ask', () => {
  test('--choice prints the chosen option, and the comment elsewhere', async () => {
    const { refCode, ended } = await start('ask', 'Where?', '--choice', 'eu', '--choice', 'us');
    expect((await cli.answer(refCode, '--choose', 'us', 'But slowly.')).code).toBe(0);
    expect(await ended).toEqual({ code: 0, stdout: 'us\n', stderr: expect.stringMatching(/But slowly\./) });
    expect(await statusOf(refCode)).toBe('responded');
  });

  const form = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

  test.each([[[]], [['--confidential']]])('--form prints the values as JSON %j', async (options) => {
    const path = write('form.json', JSON.stringify(form));
    const { refCode, ended } = await start('ask', 'How many?', '--form', path, ...options);
    if (options.length > 0) {
      expect((await cli.pickUp(refCode)).code).toBe(0);
    }
    expect((await cli.answer(refCode, '--set', 'count=3')).code).toBe(0);
    expect(await ended).toMatchObject({ code: 0, stdout: '{"count":3}\n' });
  });

  test('--form with one optional choice prints JSON, also when nothing was chosen', async () => {
    const choice = { type: 'string', enum: ['eu', 'us'] };
    const path = write('optional.json', JSON.stringify({ type: 'object', properties: { choice } }));
    const { refCode, ended } = await start('ask', 'Where, if anywhere?', '--form', path);
    expect((await cli.answer(refCode, '--set', 'choice=')).code).toBe(0);
    expect(await ended).toMatchObject({ code: 0, stdout: '{}\n' });
  });

  test('--resume finds a conversation by its id, in capital letters too', async () => {
    const folder = `${cli.folder}/agent/conversations-of-one`;
    const env = { ...cli.agent, RELAY_CONFIG_DIR: folder };
    expect((await cli.run(['ask', 'Where?', '--no-wait'], { env })).code).toBe(0);
    const files = readdirSync(folder, { recursive: true }).map(String);
    const id =
      files.flatMap((name) => /\/conversation\.([0-9a-f-]{36})\.value$/.exec(name)?.[1] ?? [])[0] ?? '';
    expect(id).not.toBe(id.toUpperCase());
    for (const name of [id, id.toUpperCase()])
      expect(await cli.run(['ask', '--resume', name, '--no-wait'], { env })).toMatchObject({ code: 0 });
  });

  test('declined prints nothing to stdout, so that no program takes a comment for a value', async () => {
    const { refCode, ended } = await start('ask', 'Where?', '--choice', 'eu');
    expect((await cli.answer(refCode, '--decline', 'eu')).code).toBe(0);
    expect(await ended).toMatchObject({ code: 13, stdout: '' });
  });

  test('a decision is found later, also after other commands have shown the answer', async () => {
    const { refCode } = await start('ask', 'Where?', '--choice', 'eu', '--no-wait');
    expect((await cli.answer(refCode, '--choose', 'eu')).code).toBe(0);
    expect((await cli.asAgent('show', refCode)).code).toBe(0);
    expect(await cli.asAgent('ask', '--resume', refCode)).toMatchObject({ code: 0, stdout: 'eu\n' });
    const { stdout } = await cli.asAgent('show', refCode);
    expect(flat(stdout)).toMatch(/accepted, .* - choice: eu/);
  });

  test('an answer to the question is no answer to the form of a later message', async () => {
    const { refCode } = await start(
      'ask',
      'Delete the lock?',
      '--choice',
      'yes',
      '--choice',
      'no',
      '--no-wait',
    );
    expect((await cli.answer(refCode, '--choose', 'yes')).code).toBe(0);
    const args = ['--choice', 'yes', '--choice', 'no', '--wait', '2s'];
    const asked = await cli.asAgent('ask', '--resume', refCode, 'Delete everything?', ...args);
    expect(asked).toMatchObject({ code: 3, stdout: '' });
    expect((await cli.answer(refCode, '--choose', 'no')).code).toBe(0);
    expect(await cli.asAgent('ask', '--resume', refCode)).toMatchObject({ code: 0, stdout: 'no\n' });
  });

  test.each<[string[], RegExp]>([
    [['--form', 'missing.json'], /no file missing\.json/],
    [['--form', 'not.json'], /not\.json is not JSON/],
    [['--form', 'nested.json'], /nested\.json is not a form\. properties\.a\.type: /],
    [['--choice', 'a', '--choice', 'a'], /--choice is not a form\. .*twice/],
    [['--choice', 'a', '--form', 'not.json'], /contradict/],
    [['--choice', 'a', '--include-early'], /--include-early is for answers in words/],
    [['--attach', 'missing.png'], /missing\.png cannot be attached: there is no such file/],
    [['--attach', '.'], /it is no file/],
  ])('nothing is sent: %j', async (args, sentence) => {
    write('not.json', 'type: object');
    write('nested.json', '{"type":"object","properties":{"a":{"type":"object","properties":{}}}}');
    const listed = async () => JSON.parse((await cli.asAgent('show', '--json')).stdout).requests.length;
    const before = await listed();
    const { code, stderr } = await cli.asAgent('ask', 'May I?', ...args, '--no-wait');
    expect({ code, stderr: flat(stderr) }).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
    expect(await listed()).toBe(before);
  });
});

describe('files', () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256);

  test('of the agent reach the expert, and those of the expert the agent, unchanged', async () => {
    const path = write('log.bin', bytes);
    const { refCode, ended } = await start('ask', 'What is this?', '--attach', path);
    expect((await cli.pickUp(refCode, '--wait', '5s')).stdout).toContain('file "log.bin"');
    const shown = await cli.asExpert('show', refCode, '--save', 'got/deep');
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringMatching(/saved: .*log\.bin/) });
    expect(readFileSync(`${cli.folder}/got/deep/log.bin`)).toEqual(Buffer.from(bytes));
    expect(statSync(`${cli.folder}/got/deep/log.bin`).mode & 0o777).toBe(0o600);

    expect((await cli.answer(refCode, 'See this.', '--attach', path)).code).toBe(0);
    expect(await ended).toMatchObject({
      code: 0,
      stdout: 'See this.\n',
      stderr: expect.stringMatching(/file "log\.bin"[\s\S]*--save/),
    });
    const saved = await cli.asAgent('show', refCode, '--save', 'mine', '--json');
    expect(JSON.parse(saved.stdout)).toMatchObject({
      saved: [`${cli.folder}/mine/log.bin`],
      files: [{ name: 'log.bin' }],
      messages: [{ files: [{ name: 'log.bin', size: 1_000 }] }],
    });
    expect(readFileSync(`${cli.folder}/mine/log.bin`)).toEqual(Buffer.from(bytes));
  });

  test('are saved beside what is there, never over it, and once', async () => {
    const { refCode } = await start('ask', 'Well?', '--no-wait');
    const path = write('log.txt', 'new');
    expect((await cli.answer(refCode, '--attach', path)).code).toBe(0);
    const folder = `${cli.folder}/there`;
    mkdirSync(folder);
    symlinkSync(write('victim', 'old'), `${folder}/log.txt`);
    for (let time = 0; time < 2; time++)
      expect((await cli.asAgent('show', refCode, '--save', folder)).code).toBe(0);
    expect(readFileSync(`${cli.folder}/victim`, 'utf8')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['log-2.txt', 'log.txt']);
    expect(readFileSync(`${folder}/log-2.txt`, 'utf8')).toBe('new');
  });

  test('cannot be saved of a list', async () => {
    expect(await cli.asAgent('show', '--save', 'x')).toMatchObject({ code: 2 });
  });
});
