import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commands } from './run.ts';
import { textWidth } from './terminal/text-width.ts';
import { buildCli } from './testing/build-cli.ts';
import { later, useTestCli } from './testing/test-cli.ts';

const cli = useTestCli();

// biome-ignore lint/suspicious/noControlCharactersInRegex: the output must not contain it.
const escapeSign = /\u001b/;
const hostile =
  'Well?\u001b[2J\u001b]0;owned\u0007\u202e and so on, until the line is longer than the terminal.';

describe('help', () => {
  test.concurrent.each([['help'], ['--help'], ['-h']])('relay %s lists every command', async (word) => {
    const { code, stdout } = await cli.asAgent(word);
    expect(code).toBe(0);
    for (const { name } of commands) expect(stdout).toContain(`relay ${name} `);
  });

  test.concurrent.each([...commands.map(({ name }) => name), 'environment', 'exit-codes'])(
    'relay help %s',
    async (topic) => {
      const { code, stdout, stderr } = await cli.asAgent('help', topic);
      expect({ code, stderr, long: stdout.length > 100 }).toEqual({ code: 0, stderr: '', long: true });
    },
  );

  test('of a command without its name, and not of a text', async () => {
    expect((await cli.run(['ask', '--help'])).stdout).toContain('relay ask "question"');
    expect((await cli.run(['ask', '--', '--help'])).stderr).toContain(
      'RELAY_URL and RELAY_API_KEY are not set.',
    );
  });

  test('a command that does not exist', async () => {
    const { code, stderr } = await cli.run(['aks', 'x']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Did you mean `relay ask`?'),
    });
  });
});

describe('a text of the other side', () => {
  test('cannot control a terminal, and is wrapped to its width', async () => {
    await cli.ask(hostile, '--plaintext');
    const listening = cli.start(['listen'], { env: { ...cli.expert, NO_COLOR: '1' }, columns: 60 });
    await listening.printed(/terminal\./);
    await listening.printed(/relay answer HS-/);
    listening.type('\u0003');
    const { stdout } = await listening.ended;
    expect(stdout).toContain('Well?␛[2J␛]0;owned␇<U+202E>');
    expect(stdout).not.toMatch(escapeSign);
    expect(Math.max(...stdout.split('\r\n').map(textWidth))).toBeLessThanOrEqual(60);
  });

  test('is written to a pipe unchanged', async () => {
    const refCode = await cli.ask('Well?', '--plaintext');
    await cli.asExpert('show', refCode);
    await cli.run(['answer', refCode, '-', '--plaintext'], { env: cli.expert, ...later, input: hostile });
    const { stdout } = await cli.asAgent('ask', '--resume', refCode);
    expect(stdout).toBe(`${hostile}\n`);
  });
});

test('Ctrl-C ends a command that waits for input', async () => {
  const asking = cli.start(['ask', '-'], { env: cli.agent, columns: 80 });
  await asking.printed(/Type the text/);
  asking.type('\u0003');
  expect((await asking.ended).code).toBe(130);
});

test('colours are used only in a terminal, and only if they are not switched off', async () => {
  const help = (env: Record<string, string>, columns?: number) =>
    cli.run(['help', 'ask'], { env, ...(columns && { columns }) });
  expect((await help({}, 80)).stdout).toMatch(escapeSign);
  expect((await help({ NO_COLOR: '1' }, 80)).stdout).not.toMatch(escapeSign);
  expect((await help({ TERM: 'dumb' }, 80)).stdout).not.toMatch(escapeSign);
  expect((await help({})).stdout).not.toMatch(escapeSign);
});

test('the process of a command that is done ends, with its exit code', async () => {
  const run = async (side: 'agent' | 'expert', args: string[], clock = {}) => {
    const { code, stderr } = await cli.start(args, { env: cli[side], ...clock }).ended;
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
  };
  const refCode = await cli.ask('Is it done?', '--plaintext');
  await run('expert', ['show', refCode]);
  await run('expert', ['answer', refCode, 'Yes.', '--plaintext'], later);
  await run('agent', ['show']);
  await run('agent', ['close', refCode]);
  for (const args of [['whoami'], ['doctor'], ['webhooks']]) await run('agent', args);
});

test('a closed pipe is no error', async () => {
  const { code, stderr } = await cli.run(['help'], { env: {}, stdout: 'closed' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

describe('relay listen', () => {
  test('with --json prints one object a line to an expert', async () => {
    const listening = cli.start(['listen', '--json'], { env: cli.expert });
    await listening.printed(/Listening/);
    const refCode = await cli.ask('As JSON?', '--plaintext');
    await listening.printed(new RegExp(refCode));
    await cli.asAgent('ask', '--resume', refCode, 'More.', '--no-wait');
    await listening.printed(/More\./);
    await cli.asAgent('close', refCode);
    await listening.printed(/"ended"/);
    listening.kill('SIGTERM');
    const ended = await listening.ended;
    const lines = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(ended.code).toBe(143);
    expect(lines.filter((line) => line.refCode === refCode)).toMatchObject([
      { type: 'request', question: 'As JSON?', encrypted: false },
      { type: 'message', text: 'More.', protection: 'plaintext' },
      { type: 'ended', status: 'closed' },
    ]);
  });

  test('prints to an agent the answers in its conversations, until they end', async () => {
    const refCode = await cli.ask('Later?', '--plaintext');
    const listening = cli.start(['listen', refCode, '--json'], { env: cli.agent });
    await listening.printed(/Listening for answers/);
    await cli.answer(refCode, 'Now.');
    await listening.printed(/Now\./);
    await cli.asExpert('close', refCode);
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

test('relay show lists the requests of a key, and shows no others', async () => {
  const refCode = await cli.ask('Listed?\nsecond line', '--plaintext');
  for (const env of [cli.agent, cli.expert]) {
    expect((await cli.run(['show'], { env })).stdout).toContain(`${refCode}  pending`);
  }
  const { otherConsumerKey } = await cli.relay.makeTenant();
  const foreign = await cli.run(['show', refCode], {
    env: { ...cli.agent, RELAY_API_KEY: otherConsumerKey },
  });
  expect(foreign.code).toBe(9);
});

test('relay show prints the messages of a plain text conversation to both sides', async () => {
  const refCode = await cli.ask('Plain?', '--plaintext');
  await cli.answer(refCode, 'Plain.', '--plaintext');
  for (const env of [cli.agent, cli.expert]) {
    expect(await cli.run(['show', refCode], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Plain\?(.*\n)+ {2}Plain\./),
    });
  }
});

test.each([[[]], [['--plaintext']]])(
  'relay show prints nothing that the relay says of a conversation that another machine began, but its state: %j',
  async (options) => {
    await cli.asExpert('keys', 'make', '--json');
    const refCode = await cli.ask('Where?', ...options);
    await cli.answer(refCode, 'Here.', ...options);
    const elsewhere = { ...cli.agent, RELAY_CONFIG_DIR: `${cli.folder}/elsewhere` };
    const { code, stdout, stderr } = await cli.run(['show', refCode], { env: elsewhere });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(`^${refCode}  responded, open.*\n$`),
    });
    expect(stderr).toMatch(/cannot be checked here, so they are not shown/);
    const listed = await cli.run(['show'], { env: elsewhere });
    expect(listed.stdout).toContain(refCode);
    expect(listed.stdout).not.toContain('Where?');
  },
);

describe('without a folder', () => {
  test('that can be made for its files, a command says which variable to set', async () => {
    const env = { ...cli.agent, RELAY_CONFIG_DIR: '/proc/relay' };
    const { code, stderr } = await cli.run(['ask', 'Where?'], { env });
    expect({ code, stderr }).toEqual({
      code: 10,
      stderr: expect.stringMatching(/\/proc\/relay.*RELAY_CONFIG_DIR/s),
    });
  });

  test.each([
    [['help'], 0],
    [['ask', 'Where?', '--attach', 'x.png'], 2],
    [['hook'], 0],
  ])('that it works in, since that was removed: %j ends with %i', async (args, code) => {
    const gone = mkdtempSync(join(cli.folder, 'gone-'));
    const inGone = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
    const command = [process.execPath, await buildCli(), ...args];
    const ended = spawnSync('bash', ['-c', inGone, 'bash', gone, ...command], {
      env: { ...process.env, ...cli.agent },
      input: '{}',
      encoding: 'utf8',
    });
    expect(ended.stderr).not.toMatch(/uv_cwd|\bat /);
    expect(ended.status).toBe(code);
  });
});
