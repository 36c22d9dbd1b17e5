import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openTwoSides, type TwoSides } from '../testing/two-sides.ts';

let sides: TwoSides;
let made: { fingerprint: string; file: string; recoveryCode: string };

const asExpert = (args: string[], device = 'expert', input?: string) =>
  sides.run(['keys', ...args], {
    env: { ...sides.expert, RELAY_CONFIG_DIR: `${sides.folder}/${device}` },
    ...(input !== undefined && { input }),
  });
const asAgent = (...args: string[]) => sides.run(args, { env: sides.agent });

beforeAll(async () => {
  sides = await openTwoSides();
  expect((await asExpert([])).stdout).toBe('This machine has no keys. Make them: relay keys make\n');
  const { code, stdout } = await asExpert(['make', '--json']);
  expect(code).toBe(0);
  made = JSON.parse(stdout);
});
afterAll(() => sides.stop());

describe('relay keys', () => {
  test('are in a file that only its owner can read, without the code', async () => {
    expect(made.fingerprint).toMatch(/^(\d{5} ){7}\d{5}$/);
    expect(statSync(made.file).mode & 0o777).toBe(0o600);
    expect(readFileSync(made.file, 'utf8')).not.toContain(made.recoveryCode);
    expect((await asExpert([])).stdout).toContain(`Fingerprint  ${made.fingerprint}\n`);
  });

  test('are not made twice by mistake, neither here nor on a second device', async () => {
    expect(await asExpert(['make'])).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('has keys already'),
    });
    const other = await asExpert(['make'], 'second');
    expect(other).toMatchObject({ code: 10, stderr: expect.stringContaining('relay keys restore') });
  });

  test('come to a second device by their code, and by no other', async () => {
    const wrong = await asExpert(['restore'], 'second', made.recoveryCode.replace(/.$/, '?'));
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('typing mistake') });
    expect(await asExpert(['restore'], 'second', '\n')).toMatchObject({ code: 2 });
    const restored = await asExpert(['restore', '--json'], 'second', ` ${made.recoveryCode.toLowerCase()}\n`);
    expect(JSON.parse(restored.stdout)).toMatchObject({ fingerprint: made.fingerprint, isInVault: true });
  });

  test('belong to the API key, whatever user id the relay states', async () => {
    const liar = await startLyingRelay(sides.relay);
    const env = { ...sides.expert, RELAY_URL: liar.url };
    liar.tell({
      answer(answer, { path }) {
        if (path === '/api/v1/whoami') answer.userId = crypto.randomUUID();
        return answer;
      },
    });
    expect((await sides.run(['keys'], { env })).stdout).toContain(made.fingerprint);
    const { providerKey } = await sides.relay.makeTenant();
    const other = await sides.run(['keys'], { env: { ...sides.expert, RELAY_API_KEY: providerKey } });
    expect(other.stdout).toContain('This machine has no keys.');
    await liar.stop();
  });

  test('are forgotten only while they can come back', async () => {
    expect((await asExpert(['forget'], 'second')).stdout).toContain('relay keys restore');
    expect((await asExpert([], 'second')).stdout).toContain('They are on another device.');
  });

  test('get a new code, after which the old one opens nothing', async () => {
    const { recoveryCode } = JSON.parse((await asExpert(['recovery', '--json'])).stdout);
    const old = await asExpert(['restore'], 'third', made.recoveryCode);
    expect(old).toMatchObject({ code: 2, stderr: expect.stringContaining('does not open the vault') });
    expect((await asExpert(['restore'], 'third', recoveryCode)).code).toBe(0);
  });

  test('in a terminal the code must be typed back', async () => {
    const run = (device: string) =>
      sides.start(['keys', 'recovery'], {
        env: { ...sides.expert, RELAY_CONFIG_DIR: `${sides.folder}/${device}` },
        columns: 80,
      });
    const first = run('expert');
    const [code] = await first.said(/[0-9A-Z]{4}(-[0-9A-Z]{4}){6}/);
    await first.said(/Type it back:/);
    first.type('something\r');
    await first.said(/That is not the same code/);
    first.type(`${code.toLowerCase()}\r`);
    expect((await first.ended).code).toBe(0);

    const second = run('expert');
    await second.said(/Type it back:/);
    second.type('\u0003');
    expect((await second.ended).code).toBe(130);
    // What was not typed back took nobody's place.
    expect((await asExpert(['restore', '--json'], 'fourth', code)).code).toBe(0);
  });

  test.each([
    ['readable by others', () => chmodSync(made.file, 0o644), /chmod 600/],
    ['broken', () => writeFileSync(made.file, '{"version":1}'), /is broken\..*relay keys restore/s],
  ])('that are %s are refused with what to do', async (_what, spoil, sentence) => {
    const before = readFileSync(made.file, 'utf8');
    spoil();
    const { code, stderr } = await asExpert([]);
    writeFileSync(made.file, before);
    chmodSync(made.file, 0o600);
    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringMatching(sentence) });
  });

  test('of an agent are the experts that it knows, until it forgets them', async () => {
    expect(await asAgent('keys', 'make')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('for experts'),
    });
    const refCode = (await asAgent('ask', 'Well?', '--no-wait')).stdout.trim();
    await sides.run(['answer', refCode, 'Yes.'], { env: sides.expert });
    await asAgent('ask', '--resume', refCode);
    expect((await asAgent('keys')).stdout).toContain(made.fingerprint);
    expect((await asAgent('keys', 'forget')).code).toBe(0);
    expect(JSON.parse((await asAgent('keys', '--json')).stdout)).toEqual({ knownExperts: [] });
  });

  test('that are given up are another expert to whoever knew them', async () => {
    const ask = async () => {
      const refCode = (await asAgent('ask', 'Well?', '--no-wait')).stdout.trim();
      await sides.run(['answer', refCode, 'Yes.'], { env: sides.expert });
      return await asAgent('ask', '--resume', refCode, '--json');
    };
    expect((await ask()).code).toBe(0);
    expect((await asExpert(['make', '--replace', '--json'])).code).toBe(0);
    // The third device still has the old ones, and nobody else has.
    expect(await asExpert(['forget'], 'third')).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('--for-good'),
    });
    expect((await asExpert(['forget', '--for-good'], 'third')).stdout).toBe('Forgotten for good.\n');
    const { code, stdout } = await ask();
    expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: 7, error: 'unknown_expert' });
  });
});
