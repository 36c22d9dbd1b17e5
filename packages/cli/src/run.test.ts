import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { commands } from './run.ts';
import { textWidth } from './terminal/text-width.ts';
import { openTwoSides, type TwoSides } from './testing/two-sides.ts';

let sides: TwoSides;
beforeAll(async () => {
  sides = await openTwoSides();
});
afterAll(() => sides.stop());

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
const escapeSign = /\u001b/;
const hostile =
  'Well?\u001b[2J\u001b]0;owned\u0007\u202e and so on, until the line is longer than the terminal.';

describe('help', () => {
  test.each([['help'], ['--help'], ['-h']])('relay %s lists every command', async (word) => {
    const { code, stdout } = await sides.run([word]);
    expect(code).toBe(0);
    for (const { name } of commands) expect(stdout).toContain(`relay ${name} `);
  });

  test.each([...commands.map(({ name }) => name), 'environment', 'exit-codes'])(
    'relay help %s',
    async (topic) => {
      const { code, stdout, stderr } = await sides.run(['help', topic]);
      expect({ code, stderr, long: stdout.length > 100 }).toEqual({ code: 0, stderr: '', long: true });
    },
  );

  test('of a command without its name, and not of a text', async () => {
    expect((await sides.run(['ask', '--help'])).stdout).toContain('relay ask "question"');
    expect((await sides.run(['ask', '--', '--help'])).stderr).toContain(
      'RELAY_URL and RELAY_API_KEY are not set.',
    );
  });

  test('a command that does not exist', async () => {
    const { code, stderr } = await sides.run(['aks', 'x']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Did you mean `relay ask`?'),
    });
  });
});

describe('what others wrote', () => {
  test('does nothing to a terminal, and fits it', async () => {
    await sides.run(['ask', hostile, '--plaintext', '--no-wait'], { env: sides.agent });
    const listening = sides.start(['listen'], { env: { ...sides.expert, NO_COLOR: '1' }, columns: 60 });
    await listening.said(/terminal\./);
    await listening.said(/relay answer HS-/);
    listening.type('\u0003');
    const { stdout } = await listening.ended;
    expect(stdout).toContain('Well?␛[2J␛]0;owned␇<U+202E>');
    expect(stdout).not.toMatch(escapeSign);
    expect(Math.max(...stdout.split('\r\n').map(textWidth))).toBeLessThanOrEqual(60);
  });

  test('reaches a pipe as it was written', async () => {
    const refCode = (
      await sides.run(['ask', 'Well?', '--plaintext', '--no-wait'], { env: sides.agent })
    ).stdout.trim();
    await sides.run(['answer', refCode, '-', '--plaintext'], { env: sides.expert, input: hostile });
    const { stdout } = await sides.run(['ask', '--resume', refCode], { env: sides.agent });
    expect(stdout).toBe(`${hostile}\n`);
  });
});

test('Ctrl-C ends a command that waits for what is typed', async () => {
  const asking = sides.start(['ask', '-'], { env: sides.agent, columns: 80 });
  await asking.said(/Type the text/);
  asking.type('\u0003');
  expect((await asking.ended).code).toBe(130);
});

test('colours in a terminal alone, and only when they are wanted', async () => {
  const help = (env: Record<string, string>, columns?: number) =>
    sides.run(['help', 'ask'], { env, ...(columns && { columns }) });
  expect((await help({}, 80)).stdout).toMatch(escapeSign);
  expect((await help({ NO_COLOR: '1' }, 80)).stdout).not.toMatch(escapeSign);
  expect((await help({ TERM: 'dumb' }, 80)).stdout).not.toMatch(escapeSign);
  expect((await help({})).stdout).not.toMatch(escapeSign);
});

test('whoever has read enough closes the pipe, and that is no error', async () => {
  const { code, stderr } = await sides.run(['help'], { env: {}, closesStdout: true });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

describe('relay listen', () => {
  test('as JSON: one object a line, for an expert', async () => {
    const listening = sides.start(['listen', '--json'], { env: sides.expert });
    await listening.said(/Listening/);
    const { stdout } = await sides.run(['ask', 'As JSON?', '--plaintext', '--no-wait'], { env: sides.agent });
    await listening.said(new RegExp(stdout.trim()));
    await sides.run(['ask', '--resume', stdout.trim(), 'More.', '--no-wait'], { env: sides.agent });
    await listening.said(/More\./);
    await sides.run(['close', stdout.trim()], { env: sides.agent });
    await listening.said(/"ended"/);
    listening.kill('SIGTERM');
    const ended = await listening.ended;
    const news = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(ended.code).toBe(143);
    expect(news.filter(({ refCode }) => refCode === stdout.trim())).toMatchObject([
      { type: 'request', question: 'As JSON?', encrypted: false },
      { type: 'message', text: 'More.', protection: 'plaintext' },
      { type: 'ended', status: 'closed' },
    ]);
  });

  test('for an agent: the answers in its conversations, until they end', async () => {
    const { stdout } = await sides.run(['ask', 'Later?', '--plaintext', '--no-wait'], { env: sides.agent });
    const refCode = stdout.trim();
    const listening = sides.start(['listen', refCode, '--json'], { env: sides.agent });
    await listening.said(/Listening for answers/);
    await sides.run(['answer', refCode, 'Now.'], { env: sides.expert });
    await listening.said(/Now\./);
    await sides.run(['close', refCode], { env: sides.expert });
    const ended = await listening.ended;
    expect(ended.code).toBe(0);
    expect(
      ended.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { type: 'answer', refCode, text: 'Now.' },
      { type: 'ended', status: 'closed' },
    ]);
  });
});

test('relay show lists the requests of a key, and opens only its own', async () => {
  const { stdout } = await sides.run(['ask', 'Listed?\nsecond line', '--plaintext', '--no-wait'], {
    env: sides.agent,
  });
  for (const env of [sides.agent, sides.expert]) {
    expect((await sides.run(['show'], { env })).stdout).toContain(`${stdout.trim()}  pending`);
  }
  const { otherConsumerKey } = await sides.relay.makeTenant();
  const foreign = await sides.run(['show', stdout.trim()], {
    env: { ...sides.agent, RELAY_API_KEY: otherConsumerKey },
  });
  expect(foreign.code).toBe(9);
});

test('relay show prints the messages of a conversation in plain text to either side', async () => {
  const { stdout } = await sides.run(['ask', 'Plain?', '--plaintext', '--no-wait'], { env: sides.agent });
  const refCode = stdout.trim();
  await sides.run(['answer', refCode, 'Plain.', '--plaintext'], { env: sides.expert });
  const elsewhere = { ...sides.agent, RELAY_CONFIG_DIR: `${sides.folder}/plain-elsewhere` };
  for (const env of [sides.agent, elsewhere, sides.expert]) {
    expect(await sides.run(['show', refCode], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Plain\?(.*\n)+ {2}Plain\./),
    });
  }
});

test('a conversation from another machine is shown as far as it can be read', async () => {
  await sides.run(['keys', 'make', '--json'], { env: sides.expert });
  const { stdout } = await sides.run(['ask', 'Where?', '--no-wait'], { env: sides.agent });
  await sides.run(['answer', stdout.trim(), 'Here.'], { env: sides.expert });
  const elsewhere = { ...sides.agent, RELAY_CONFIG_DIR: `${sides.folder}/elsewhere` };
  const shown = await sides.run(['show', stdout.trim()], { env: elsewhere });
  expect(shown.stdout).toMatch(/Where\?/);
  expect(shown.stdout).toContain('Its keys are not on this machine.');
  expect(shown.stdout).not.toContain('Here.');
});
