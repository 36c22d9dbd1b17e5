import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { useTestCli } from '../testing/test-cli.ts';

const cli = useTestCli();
let made: { fingerprint: string; folder: string; recoveryCode: string };
/** The file with the root. */
let file: string;

const runKeys = (args: string[], device = 'expert', input?: string) =>
  cli.run(['keys', ...args], {
    env: { ...cli.expert, RELAY_CONFIG_DIR: `${cli.folder}/${device}` },
    ...(input !== undefined && { input }),
  });

beforeAll(async () => {
  expect((await runKeys([])).stdout).toBe('This machine has no keys. Make them: relay keys make\n');
  const { code, stdout } = await runKeys(['make', '--json']);
  expect(code).toBe(0);
  made = JSON.parse(stdout);
  file = join(made.folder, readdirSync(made.folder).find((name) => name.startsWith('root.')) ?? '');
});

describe('relay keys', () => {
  test('are in a file that only its owner can read, without the recovery code', async () => {
    expect(made.fingerprint).toMatch(/^(\d{5} ){7}\d{5}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(made.folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, 'utf8')).not.toContain(made.recoveryCode);
    expect((await runKeys([])).stdout).toContain(`Fingerprint  ${made.fingerprint}\n`);
  });

  test('are not made twice by mistake, on this machine or on a second one', async () => {
    expect(await runKeys(['make'])).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('has keys already'),
    });
    const other = await runKeys(['make'], 'second');
    expect(other).toMatchObject({ code: 10, stderr: expect.stringContaining('relay keys restore') });
  });

  test('are restored on a second device with the right code only', async () => {
    const wrong = await runKeys(['restore'], 'second', made.recoveryCode.replace(/.$/, '?'));
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('typing mistake') });
    expect(await runKeys(['restore'], 'second', '\n')).toMatchObject({ code: 2 });
    const restored = await runKeys(['restore', '--json'], 'second', ` ${made.recoveryCode.toLowerCase()}\n`);
    expect(JSON.parse(restored.stdout)).toMatchObject({ fingerprint: made.fingerprint, isInVault: true });
  });

  test('belong to the API key, even if the relay states another user id', async () => {
    const liar = await cli.startLyingRelay();
    const env = { ...cli.expert, RELAY_URL: liar.url };
    liar.tell({
      answer(answer, { path }) {
        if (path === '/api/v1/whoami') answer.userId = crypto.randomUUID();
        return answer;
      },
    });
    expect((await cli.run(['keys'], { env })).stdout).toContain(made.fingerprint);
    const { providerKey } = await cli.relay.makeTenant();
    const other = await cli.run(['keys'], { env: { ...cli.expert, RELAY_API_KEY: providerKey } });
    expect(other.stdout).toContain('This machine has no keys.');
  });

  test('can be forgotten while they can be restored', async () => {
    expect((await runKeys(['forget'], 'second')).stdout).toContain('relay keys restore');
    expect((await runKeys([], 'second')).stdout).toContain('They are on another device.');
  });

  test('get a new code, and the old one is no longer valid', async () => {
    const { recoveryCode } = JSON.parse((await runKeys(['recovery', '--json'])).stdout);
    const old = await runKeys(['restore'], 'third', made.recoveryCode);
    expect(old).toMatchObject({ code: 2, stderr: expect.stringContaining('does not open the vault') });
    expect((await runKeys(['restore'], 'third', recoveryCode)).code).toBe(0);
  });

  test('in a terminal the code must be typed back', async () => {
    const run = (device: string) =>
      cli.start(['keys', 'recovery'], {
        env: { ...cli.expert, RELAY_CONFIG_DIR: `${cli.folder}/${device}` },
        columns: 80,
      });
    const first = run('expert');
    const [code] = await first.printed(/[0-9A-Z]{4}(-[0-9A-Z]{4}){6}/);
    await first.printed(/Type it back:/);
    first.type('something\r');
    await first.printed(/That is not the same code/);
    first.type(`${code.toLowerCase()}\r`);
    expect((await first.ended).code).toBe(0);

    const second = run('expert');
    await second.printed(/Type it back:/);
    second.type('\u0003');
    expect((await second.ended).code).toBe(130);
    // A code that was not typed back has not replaced the code before it.
    expect((await runKeys(['restore', '--json'], 'fourth', code)).code).toBe(0);
  });

  test.each([
    ['in a folder that others can enter', () => chmodSync(made.folder, 0o755), /chmod 700/],
    ['cut off', () => writeFileSync(file, readFileSync(file).subarray(0, 9)), /The file \S+ is damaged/],
    ['damaged', () => writeFileSync(file, '"AAAA"'), /is damaged\..*relay keys restore/s],
  ])('that are %s are refused with what to do', async (_what, spoil, sentence) => {
    const before = readFileSync(file, 'utf8');
    spoil();
    const { code, stderr } = await runKeys([]);
    chmodSync(made.folder, 0o700);
    writeFileSync(file, before);
    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringMatching(sentence) });
  });

  test('of an agent: lists the experts that it knows, until it forgets them', async () => {
    expect(await cli.asAgent('keys', 'make')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('for experts'),
    });
    const refCode = await cli.ask('Well?');
    await cli.answer(refCode, 'Yes.');
    await cli.asAgent('ask', '--resume', refCode);
    expect((await cli.asAgent('keys')).stdout).toContain(made.fingerprint);
    expect((await cli.asAgent('keys', 'forget')).code).toBe(0);
    expect(JSON.parse((await cli.asAgent('keys', '--json')).stdout)).toEqual({ knownExperts: [] });
  });

  test('that replace others are another expert for agents that knew the old ones', async () => {
    const ask = async () => {
      const refCode = await cli.ask('Well?');
      await cli.answer(refCode, 'Yes.');
      return await cli.asAgent('ask', '--resume', refCode, '--json');
    };
    expect((await ask()).code).toBe(0);
    expect((await runKeys(['make', '--replace', '--json'])).code).toBe(0);
    // Only the third device still has the old keys.
    expect(await runKeys(['forget'], 'third')).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('--for-good'),
    });
    expect((await runKeys(['forget', '--for-good'], 'third')).stdout).toBe('Forgotten for good.\n');
    const { code, stdout } = await ask();
    expect({ code, error: JSON.parse(stdout).error.reason }).toEqual({ code: 7, error: 'unknown_expert' });
  });
});
