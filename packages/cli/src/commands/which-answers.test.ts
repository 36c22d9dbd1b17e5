import { eventually } from '@expert-relay/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { openTestCli, useTestCli } from '../testing/test-cli.ts';

const cli = useTestCli();
beforeAll(async () => {
  await cli.asExpert('keys', 'make', '--json');
});

const early = /written before your last message was read/;
const asked = () => cli.ask('May I?');

/** Writes an answer without a signature, as the relay could. */
async function writePlain(refCode: string, plaintext: string): Promise<void> {
  const { RELAY_URL = '', RELAY_API_KEY = '' } = cli.expert;
  const headers = { 'x-api-key': RELAY_API_KEY, 'content-type': 'application/json' };
  const found = await fetch(`${RELAY_URL}/api/v1/requests/by-ref/${refCode}`, { headers });
  const { requestId } = (await found.json()) as { requestId: string };
  const body = JSON.stringify({ role: 'provider', messageId: crypto.randomUUID(), plaintext });
  const written = await fetch(`${RELAY_URL}/api/v1/message/${requestId}`, { method: 'POST', headers, body });
  expect(written.ok).toBe(true);
}

describe('an answer in plain text', () => {
  test('is accepted only with --accept-unprotected, also before the expert is known', async () => {
    const first = await asked();
    await writePlain(first, 'Sure.');
    expect((await cli.asAgent('ask', '--resume', first)).code).toBe(11);
    expect(await cli.asAgent('ask', '--resume', first, '--accept-unprotected')).toMatchObject({
      code: 0,
      stdout: 'Sure.\n',
      stderr: expect.stringContaining('Plain text: the relay could read this, or have written it.'),
    });
    expect(await cli.asAgent('show', first)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/plain text, readable by the relay\n {2}Sure\./),
    });
    const met = await asked();
    await cli.answer(met, 'It is me.');
    expect((await cli.asAgent('ask', '--resume', met)).code).toBe(0);

    const refCode = await asked();
    await writePlain(refCode, 'Go ahead.');
    for (const args of [
      ['ask', '--resume', refCode],
      ['show', refCode],
    ]) {
      const { code, stdout, stderr } = await cli.asAgent(...args);
      expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining('plain text') });
      expect(stdout).not.toContain('Go ahead.');
    }
    const accepted = await cli.asAgent('ask', '--resume', refCode, '--accept-unprotected');
    expect(accepted).toMatchObject({ code: 0, stdout: 'Go ahead.\n' });
    expect(await cli.asAgent('show', refCode)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Go ahead.'),
    });
  });
});

describe('an answer that was written before the last message was read', () => {
  test('is skipped and reported, and printed with --include-early', async () => {
    const refCode = await asked();
    await cli.answer(refCode, 'Yes, go ahead.');
    await cli.asAgent('ask', '--resume', refCode, 'WAIT: PRODUCTION, too?', '--no-wait');
    // On a busy machine the answer may arrive after this second.
    await eventually('the answer to be skipped', async () => {
      const { code, stdout, stderr } = await cli.asAgent('ask', '--resume', refCode, '--wait', '1s');
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      return early.test(stderr);
    });
    await cli.answer(refCode, 'No!');
    expect(await cli.asAgent('ask', '--resume', refCode)).toMatchObject({ code: 0, stdout: 'No!\n' });
    expect(await cli.asAgent('ask', '--resume', refCode, '--include-early')).toEqual({
      code: 0,
      stdout: 'Yes, go ahead.\n',
      stderr: expect.stringMatching(early),
    });
    expect(await cli.asAgent('show', refCode)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/written before your last message was read\.\n {2}Yes, go ahead\./),
    });
  });
});

test('a further message tells the expert which answers were printed here, and not which were only read', async () => {
  const refCode = await asked();
  await cli.answer(refCode, 'Yes, go ahead.');
  const say = (text: string) => cli.asAgent('ask', '--resume', refCode, text, '--no-wait');
  await say('WAIT: PRODUCTION, too?');
  await eventually('the answer to be read, and skipped', async () =>
    early.test((await cli.asAgent('ask', '--resume', refCode, '--wait', '1s')).stderr),
  );
  await say('And when?');
  expect((await cli.asAgent('show', refCode)).stdout).toContain('Yes, go ahead.');
  await say('Not in production, then.');
  const { messages } = JSON.parse((await cli.asExpert('show', refCode, '--json')).stdout);
  const seen = (messages as { seenYourLast?: boolean }[]).map(({ seenYourLast }) => seenYourLast);
  expect(seen.slice(1)).toEqual([false, false, true]);
});

test('erased messages are reported to both sides, and are no error', async () => {
  const brief = await openTestCli({
    relay: { env: { RELAY_RETENTION: '1s', RELAY_PURGE_INTERVAL: '1s' } },
  });
  try {
    await brief.asExpert('keys', 'make', '--json');
    const refCode = await brief.ask('May I?');
    await brief.answer(refCode, 'Yes.');
    await brief.asAgent('ask', '--resume', refCode);
    await brief.asAgent('close', refCode);
    for (const env of [brief.agent, brief.expert]) {
      const shown = await eventually(
        'the erased conversation',
        async () => {
          const run = await brief.run(['show', refCode], { env });
          expect(run.code).toBe(0);
          return /The relay erased the messages/.test(run.stdout) ? run : undefined;
        },
        { timeoutMs: 60_000 },
      );
      if (env === brief.agent) expect(shown.stdout).toContain('Yes.');
    }
  } finally {
    await brief.stop();
  }
});
