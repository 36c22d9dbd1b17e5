import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openTwoSides, type TwoSides } from '../testing/two-sides.ts';

let sides: TwoSides;
beforeAll(async () => {
  sides = await openTwoSides();
  await sides.run(['keys', 'make', '--json'], { env: sides.expert });
});
afterAll(() => sides.stop());

const early = /written before your last message was read/;
const asAgent = (...args: string[]) => sides.run(args, { env: sides.agent });
const asExpert = (...args: string[]) => sides.run(args, { env: sides.expert });
const asked = async () => (await asAgent('ask', 'May I?', '--no-wait')).stdout.trim();

/** As the relay could write it: an answer that nobody has signed. */
async function writePlain(refCode: string, plaintext: string): Promise<void> {
  const { RELAY_URL = '', RELAY_API_KEY = '' } = sides.expert;
  const headers = { 'x-api-key': RELAY_API_KEY, 'content-type': 'application/json' };
  const found = await fetch(`${RELAY_URL}/api/v1/requests/by-ref/${refCode}`, { headers });
  const { requestId } = (await found.json()) as { requestId: string };
  const body = JSON.stringify({ role: 'provider', messageId: crypto.randomUUID(), plaintext });
  const written = await fetch(`${RELAY_URL}/api/v1/message/${requestId}`, { method: 'POST', headers, body });
  expect(written.ok).toBe(true);
}

describe('an answer in plain text', () => {
  test('is taken at the first contact, as what it is; once the expert is known only on request', async () => {
    const first = await asked();
    await writePlain(first, 'Sure.');
    expect(await asAgent('ask', '--resume', first)).toMatchObject({
      code: 0,
      stdout: 'Sure.\n',
      stderr: expect.stringContaining('Plain text: the relay could read this, or have written it.'),
    });
    expect(await asAgent('show', first)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/plain text, readable by the relay\n {2}Sure\./),
    });
    const met = await asked();
    await asExpert('answer', met, 'It is me.');
    expect((await asAgent('ask', '--resume', met)).code).toBe(0);

    const refCode = await asked();
    await writePlain(refCode, 'Go ahead.');
    for (const args of [
      ['ask', '--resume', refCode],
      ['show', refCode],
    ]) {
      const { code, stdout, stderr } = await asAgent(...args);
      expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining('plain text') });
      expect(stdout).not.toContain('Go ahead.');
    }
    const accepted = await asAgent('ask', '--resume', refCode, '--accept-plaintext');
    expect(accepted).toMatchObject({ code: 0, stdout: 'Go ahead.\n' });
    expect(await asAgent('show', refCode)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Go ahead.'),
    });
  }, 180_000);
});

describe('an answer from before the last message was read', () => {
  test('is passed over, said, and given with --any', async () => {
    const refCode = await asked();
    await asExpert('answer', refCode, 'Yes, go ahead.');
    await asAgent('ask', '--resume', refCode, 'WAIT: PRODUCTION, too?', '--no-wait');
    expect(await asAgent('ask', '--resume', refCode, '--wait', '1s')).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(early),
    });
    await asExpert('answer', refCode, 'No!');
    expect(await asAgent('ask', '--resume', refCode)).toMatchObject({ code: 0, stdout: 'No!\n' });
    expect(await asAgent('ask', '--resume', refCode, '--any')).toEqual({
      code: 0,
      stdout: 'Yes, go ahead.\n',
      stderr: expect.stringMatching(early),
    });
    expect(await asAgent('show', refCode)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/written before your last message was read\.\n {2}Yes, go ahead\./),
    });
  }, 180_000);
});

test('what retention has erased is said in words, on both sides, and is no failure', async () => {
  const brief = await openTwoSides({ env: { RELAY_RETENTION: '1s', RELAY_PURGE_INTERVAL: '1s' } });
  try {
    await brief.run(['keys', 'make', '--json'], { env: brief.expert });
    const { stdout } = await brief.run(['ask', 'May I?', '--no-wait'], { env: brief.agent });
    const refCode = stdout.trim();
    await brief.run(['answer', refCode, 'Yes.'], { env: brief.expert });
    await brief.run(['ask', '--resume', refCode], { env: brief.agent });
    await brief.run(['close', refCode], { env: brief.agent });
    for (const env of [brief.agent, brief.expert]) {
      const shown = await eventually(
        'the erased conversation',
        async () => {
          const run = await brief.run(['show', refCode], { env });
          expect(run.code).toBe(0);
          return /The relay erased what was said/.test(run.stdout) ? run : undefined;
        },
        { within: 60_000 },
      );
      if (env === brief.agent) expect(shown.stdout).toContain('Yes.');
    }
  } finally {
    await brief.stop();
  }
}, 180_000);
