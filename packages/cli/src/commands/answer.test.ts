import { cpSync } from 'node:fs';
import { type Json, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openRelayFolder } from '../store/relay-folder.ts';
import { openTwoSides, type TwoSides } from '../testing/two-sides.ts';

let sides: TwoSides;
let liar: LyingRelay;
beforeAll(async () => {
  sides = await openTwoSides();
  liar = await startLyingRelay(sides.relay);
  expect((await sides.run(['keys', 'make', '--json'], { env: sides.expert })).code).toBe(0);
  // The keys of a relay are kept by its address.
  const [real, lying] = [sides.relay.gatewayUrl, liar.url].map((url) =>
    openRelayFolder(`${sides.folder}/expert`, url),
  );
  cpSync(real ?? '', lying ?? '', { recursive: true });
});
afterEach(() => liar.tell({}));
afterAll(async () => {
  await liar.stop();
  await sides.stop();
});

const asExpert = (...args: string[]) =>
  sides.run(args, { env: { ...sides.expert, RELAY_URL: liar.url, NO_COLOR: '1' } });

async function asked(question: string, ...args: string[]): Promise<string> {
  const { stdout } = await sides.run(['ask', question, '--no-wait', ...args], { env: sides.agent });
  return stdout.trim();
}

/** How many messages the relay has in truth. */
async function messagesOf(refCode: string): Promise<number> {
  const { stdout } = await sides.run(['show', refCode, '--json'], { env: sides.expert });
  return JSON.parse(stdout).messages.length;
}

const members = (side: 'consumer' | 'provider') => [`${side}SignPubKey`, `${side}EncryptPubKey`] as const;

/** Of one request, as it is listed and looked up. */
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

describe('an expert whose machine has looked at a request before', () => {
  async function freshKeys(): Promise<Json> {
    const refCode = await asked('Other?');
    let keys: Json = {};
    alter((answer) => {
      keys = Object.fromEntries(members('consumer').map((name) => [name, answer[name]]));
    });
    await asExpert('show', refCode);
    expect(keys.consumerSignPubKey).toMatch(/BEGIN PUBLIC KEY/);
    return keys;
  }

  test.each(['fresh keys', 'no keys', 'an empty history'])(
    'is shown %s, and stops',
    async (lie) => {
      const keys = await freshKeys();
      const refCode = await asked('May I?');
      liar.tell({});
      if (lie === 'an empty history') expect((await asExpert('answer', refCode, 'Wait.')).code).toBe(0);
      else expect((await asExpert('show', refCode)).code).toBe(0);
      const before = await messagesOf(refCode);
      alter((answer) => {
        withoutKeys(answer);
        if (lie !== 'no keys') Object.assign(answer, keys);
        answer.messages = [];
      });
      for (const args of [[], ['--plaintext']]) {
        const { code, stderr, stdout } = await asExpert('answer', refCode, 'Yes.', ...args, '--json');
        expect({ code, stderr, error: JSON.parse(stdout).error.code }).toEqual({
          code: 7,
          stderr: expect.stringMatching(/gone or have changed\..*over another channel/),
          error: 'keys_changed',
        });
      }
      expect((await asExpert('show', refCode)).code).toBe(7);
      liar.tell({});
      expect(await messagesOf(refCode)).toBe(before);
      expect((await asExpert('answer', refCode, 'Yes.')).code).toBe(0);
    },
    120_000,
  );
});

test('on a machine that has no keys, an agent with keys is answered in plain text only with --plaintext', async () => {
  const refCode = await asked('Encrypted?');
  const env = { ...sides.expert, RELAY_CONFIG_DIR: `${sides.folder}/without-keys` };
  const { code, stderr } = await sides.run(['answer', refCode, 'Yes.'], { env });
  expect({ code, stderr }).toEqual({
    code: 10,
    stderr: expect.stringMatching(/relay keys make.*--plaintext/),
  });
  expect(await messagesOf(refCode)).toBe(0);
  const sent = await sides.run(['answer', refCode, 'Yes.', '--plaintext'], { env });
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('in plain text') });
  expect(await messagesOf(refCode)).toBe(1);
}, 60_000);

describe('on a machine that has keys, plain text', () => {
  const refused = {
    code: 2,
    stderr: expect.stringMatching(/^Not sent: HS-.* came without keys.* --plaintext\n$/s),
  };

  test('is sent only when it is said, each time', async () => {
    const refCode = await asked('In the open?', '--plaintext');
    expect(await asExpert('answer', refCode, 'Yes.')).toMatchObject(refused);
    expect(await messagesOf(refCode)).toBe(0);
    expect((await asExpert('answer', refCode, 'Yes.', '--plaintext')).stdout).toContain('in plain text');
    expect(await asExpert('answer', refCode, 'More.')).toMatchObject(refused);
    expect(await messagesOf(refCode)).toBe(1);
  }, 60_000);

  test('is not sent either because the relay calls the expert by another name', async () => {
    const refCode = await asked('Who are you?');
    liar.tell({
      answer(answer, { path }) {
        if (path.includes('/whoami')) answer.userId = 'somebody-else';
        if (path.includes('/messages/')) withoutKeys(answer);
        return answer;
      },
    });
    expect(await asExpert('answer', refCode, 'Yes.')).toMatchObject(refused);
    liar.tell({});
    expect(await messagesOf(refCode)).toBe(0);
  }, 60_000);
});
