import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { useTestCli } from '../testing/test-cli.ts';

/* Receipts: made on the agent's machine, and verified anywhere. */

const cli = useTestCli();
const path = () => `${cli.folder}/decision.json`;
let fingerprint: string;
let refCode: string;
/** Without a relay, and without its settings. */
const offline = { RELAY_URL: 'http://127.0.0.1:1', RELAY_CONFIG_DIR: '/dev/null/none' };
const verify = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  cli.run(['verify', path(), ...args], { env: { ...offline, ...env } });

beforeAll(async () => {
  ({ fingerprint } = JSON.parse((await cli.asExpert('keys', 'make', '--json')).stdout));
  const asking = cli.start(['approve', 'Delete the lock file?'], { env: cli.agent });
  [refCode = ''] = await asking.printed(/HS-\w{8}/);
  expect(await cli.asAgent('receipt', refCode)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(
      `There is no decision yet. Wait for it first: relay ask --resume ${refCode}`,
    ),
  });
  expect((await cli.answer(refCode, '--approve', 'Only this one.')).code).toBe(0);
  expect((await asking.ended).code).toBe(0);
  const { code, stdout, stderr } = await cli.asAgent('receipt', refCode);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  writeFileSync(path(), stdout);
});

describe('relay verify', () => {
  test.each<[string, (known: string) => readonly string[], (known: string) => Record<string, string>]>([
    ['--fingerprint', (known) => ['--fingerprint', known], () => ({})],
    ['RELAY_EXPERT', () => [], (known) => ({ RELAY_EXPERT: known })],
  ])('says who decided what, offline, with %s', async (_, args, env) => {
    const { code, stdout } = await verify(args(fingerprint), env(fingerprint));
    expect(code).toBe(0);
    for (const part of [
      `${refCode}  approved\nBy the expert that you named: ${fingerprint}\nDecided `,
      'question\n  Delete the lock file?\n',
      'decision: approved\n  Only this one.\n',
      'not proven\n  - Which person decided',
    ])
      expect(stdout).toContain(part);
  });

  test('says that the expert is not known where no fingerprint was given', async () => {
    expect(await verify()).toMatchObject({
      code: 16,
      stdout: expect.stringContaining(`The expert is not known: ${fingerprint}.`),
    });
    const { code, stdout } = await verify(['--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 16,
      outcome: 'unidentified',
      exit: 16,
      isKnown: false,
    });
  });

  test.each([
    [
      'another expert',
      ['--fingerprint', '0'.repeat(40)],
      7,
      /^The receipt is refused: Another expert answers: [\d ]+ instead of [0 ]+\.\n$/,
    ],
    ['no fingerprint', ['--fingerprint', '04918'], 2, /^A fingerprint has 40 digits, this one 5/],
  ])('refuses %s', async (_, args, code, stderr) => {
    expect(await verify(args)).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) });
  });

  test('an empty RELAY_EXPERT is an error', async () => {
    expect(await verify([], { RELAY_EXPERT: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^RELAY_EXPERT is empty/),
    });
  });

  test('refuses an altered file with the reason, and says what is missing', async () => {
    const text = readFileSync(path(), 'utf8');
    writeFileSync(path(), text.replace('lock file', 'database'));
    const { code, stdout } = await verify(['--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 7,
      outcome: 'untrusted',
      error: { code: 'untrusted', reason: 'question_altered' },
    });
    writeFileSync(path(), `${text}\n`);
    expect((await verify()).stderr).toMatch(/^The receipt is refused: the file was written in another way/);
    writeFileSync(path(), text);
    expect(await cli.run(['verify', 'none.json'], { env: offline })).toMatchObject({
      code: 2,
      stderr: 'none.json: there is no such file.\n',
    });
  });
});

describe('relay receipt', () => {
  test('--whole opens what was sent before, and a decline is exit code 13', async () => {
    const file = `${cli.folder}/plan.txt`;
    writeFileSync(file, 'DROP DATABASE test;');
    const asking = cli.start(['approve', 'Run it?', '--attach', file], { env: cli.agent });
    const [code = ''] = await asking.printed(/HS-\w{8}/);
    expect((await cli.pickUp(code)).code).toBe(0);
    expect((await cli.answer(code, '--decline', 'Never.')).code).toBe(0);
    expect((await asking.ended).code).toBe(13);
    for (const [options, shown] of [
      [[], 'A message that this receipt does not open.'],
      [['--whole'], '- file "plan.txt", text/plain, 19 bytes'],
    ] as const) {
      writeFileSync(path(), (await cli.asAgent('receipt', code, ...options)).stdout);
      const verified = await verify(['--fingerprint', fingerprint]);
      expect(verified).toMatchObject({ code: 13, stdout: expect.stringContaining(shown) });
    }
  });

  test('is for the machine that asked', async () => {
    expect(await cli.asExpert('receipt', refCode)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Only the agent that asked can make a receipt.'),
    });
    expect((await cli.asAgent('receipt', 'HS-00000000')).code).toBe(9);
    const plain = await cli.asAgent('ask', 'Well?', '--no-wait', '--plaintext');
    expect(await cli.asAgent('receipt', plain.stdout.trim())).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^This conversation is not encrypted: the relay could have written its answers/,
      ),
    });
  });
});
