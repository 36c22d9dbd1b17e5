import { createCable, reservePort } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openTwoSides, type TwoSides } from '../testing/two-sides.ts';

let sides: TwoSides;
let fingerprint: string;

beforeAll(async () => {
  sides = await openTwoSides();
  const made = await sides.run(['keys', 'make', '--json'], { env: sides.expert });
  fingerprint = JSON.parse(made.stdout).fingerprint;
});
afterAll(() => sides.stop());

const asAgent = (...args: string[]) => sides.start(args, { env: sides.agent });
const asExpert = (...args: string[]) => sides.run(args, { env: sides.expert });
const parse = (text: string) => JSON.parse(text.trim());

/** Asks without waiting. */
async function asked(...args: string[]): Promise<string> {
  const { code, stdout } = await asAgent('ask', 'Well?', '--no-wait', ...args).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^HS-[0-9A-Z]{8}\n$/) });
  return stdout.trim();
}

describe('relay ask', () => {
  test('two terminals: one listens, one asks; answered, decrypted, exit 0', async () => {
    const listening = sides.start(['listen'], { env: sides.expert });
    await listening.said(/Listening as/);
    const asking = asAgent('ask', 'May I remove the lock file?');
    const [refCode] = await listening.said(/HS-[0-9A-Z]{8}/);
    await listening.said(/May I remove the lock file\?/);
    expect((await asExpert('answer', refCode, 'Yes, it is stale.')).code).toBe(0);

    expect(await asking.ended).toEqual({
      code: 0,
      // Nothing but the answer: `answer=$(relay ask ...)`.
      stdout: 'Yes, it is stale.\n',
      stderr: expect.stringContaining('End-to-end encrypted'),
    });
    expect((await asAgent('ask', '--resume', refCode, 'Thank you.', '--no-wait').ended).code).toBe(0);
    await listening.said(/agent, end-to-end encrypted\n {2}Thank you\./);
    listening.kill('SIGINT');
    expect((await listening.ended).code).toBe(130);
  });

  test('as JSON: one object, with what the answer is worth', async () => {
    const asking = asAgent('ask', 'Well?', '--json');
    const [refCode] = await asking.said(/HS-[0-9A-Z]{8}/);
    await asExpert('answer', refCode, 'Twice\nnow.');
    const { code, stdout } = await asking.ended;
    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({
      ...{
        outcome: 'done',
        exit: 0,
        refCode,
        status: 'responded',
        verification: 'known',
        fingerprint,
        unsent: 0,
      },
      answers: [{ text: 'Twice\nnow.', protection: 'sequenced' }],
    });
  });

  test('hands out every answer once, also those that came while nobody waited', async () => {
    const refCode = await asked();
    await asExpert('answer', refCode, 'one');
    await asExpert('answer', refCode, 'two');
    expect((await asAgent('show', refCode).ended).stdout).toMatch(/one\n(.*\n)+ {2}two/);
    expect((await asAgent('ask', '--resume', refCode).ended).stdout).toBe('one\n\ntwo\n');
    expect((await asAgent('ask', '--resume', refCode, '--wait', '1s').ended).code).toBe(3);
  });

  test('goes on after it was killed', async () => {
    const asking = asAgent('ask', 'Still there?');
    const [refCode] = await asking.said(/HS-[0-9A-Z]{8}/);
    asking.kill('SIGKILL');
    await asking.ended;
    await asExpert('answer', refCode, 'Yes.');
    expect(await asAgent('ask', '--resume', refCode.toLowerCase()).ended).toMatchObject({
      code: 0,
      stdout: 'Yes.\n',
    });
  });

  test('a question of which nobody knows whether it arrived is asked once', async () => {
    const cable = await createCable(sides.relay.gatewayUrl);
    const env = { ...sides.agent, RELAY_URL: cable.url };
    try {
      await cable.cut();
      const asking = sides.start(['ask', 'Did it arrive?'], { env });
      await asking.said(/cannot be reached/);
      asking.kill('SIGINT');
      const { code, stderr } = await asking.ended;
      const [, id = ''] = /relay ask --resume ([0-9a-f-]{36})/.exec(stderr) ?? [];
      expect({ code, id }).toEqual({ code: 130, id: expect.stringMatching(/./) });
      await cable.restore();
      const { stdout } = await sides.run(['ask', '--resume', id, '--no-wait'], { env });
      expect((await asExpert('show', stdout.trim())).stdout).toContain('Did it arrive?');
    } finally {
      await cable.stop();
    }
  });

  test('two commands are not in one conversation at the same time', async () => {
    const asking = asAgent('ask', 'Well?');
    const [refCode] = await asking.said(/HS-[0-9A-Z]{8}/);
    const second = await asAgent('ask', '--resume', refCode).ended;
    expect(second).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('in use by another relay command'),
    });
    asking.kill('SIGTERM');
    expect(await asking.ended).toMatchObject({
      code: 143,
      stderr: expect.stringContaining(`--resume ${refCode}`),
    });
  });

  test('context is text or a conversation, from a file or a pipe', async () => {
    const conversation = JSON.stringify([{ role: 'assistant', content: 'I am stuck.' }]);
    for (const [input, content] of [
      ['some log', 'some log'],
      [conversation, 'I am stuck.'],
    ] as const) {
      const args = ['ask', 'Why?', '--context', '-', '--no-wait'];
      const { stdout } = await sides.run(args, { env: sides.agent, input });
      const { context } = parse((await asExpert('show', stdout.trim(), '--json')).stdout);
      expect(context).toEqual([expect.objectContaining({ content })]);
    }
  });

  test('a confidential question waits for the expert, and says so', async () => {
    const asking = asAgent('ask', 'Customer 4711?', '--confidential');
    const [refCode] = await asking.said(/HS-[0-9A-Z]{8}/);
    await asking.said(/NOT been sent yet/);
    expect((await asExpert('show', refCode)).stdout).not.toContain('4711');
    const picked = await asExpert('pickup', refCode);
    expect(picked.stdout).toMatch(/agent .*end-to-end encrypted\n {2}Customer 4711\?/);
    await asking.said(/question was sent, encrypted/);
    await asExpert('answer', refCode, 'Yes.');
    expect(await asking.ended).toMatchObject({ code: 0, stdout: 'Yes.\n' });
  });

  test('plain text is shown as what it is', async () => {
    const refCode = await asked('--plaintext');
    expect((await asExpert('answer', refCode, 'Sure.')).code).not.toBe(0);
    expect((await asExpert('answer', refCode, 'Sure.', '--plaintext')).stdout).toContain('in plain text');
    expect(await asAgent('ask', '--resume', refCode).ended).toEqual({
      code: 0,
      stdout: 'Sure.\n',
      stderr: expect.stringContaining('Plain text: the relay could read this, or have written it.'),
    });
  });
});

describe('every end has its exit code', () => {
  const ends = async (args: string[], env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await sides.run([...args, '--json'], {
      env: { ...sides.agent, ...env },
    });
    const { outcome, exit, error } = parse(stdout);
    expect(exit).toBe(code);
    expect(stderr).toContain(error.message);
    return { code, outcome, error: error.code };
  };

  test('3: nobody answered in time', async () => {
    expect(await ends(['ask', 'Well?', '--wait', '1s'])).toEqual({
      code: 3,
      outcome: 'timeout',
      error: 'timeout',
    });
  });

  test('4: closed', async () => {
    const refCode = await asked();
    expect((await asExpert('close', refCode)).stdout).toBe(`${refCode} is closed.\n`);
    const end = { code: 4, outcome: 'closed', error: 'conversation_closed' };
    expect(await ends(['ask', '--resume', refCode])).toEqual(end);
    expect(await ends(['ask', '--resume', refCode, 'But'])).toEqual(end);
  });

  test('2: the command line or a variable is wrong', async () => {
    expect(await ends(['ask', 'Well?', '--wait', 'soon'])).toMatchObject({ code: 2, outcome: 'usage' });
    expect(await ends(['ask', 'Well?'], { RELAY_API_KEY: 'hs_short' })).toMatchObject({ code: 2 });
    expect(await ends(['ask', 'Well?', '--context', '/none'])).toMatchObject({ code: 2 });
    expect(await ends(['ask', 'Well?', '--context', '/'])).toMatchObject({ code: 2 });
    expect(await ends(['ask', 'Well?', '--plaintext', '--confidential'])).toMatchObject({ code: 2 });
  });

  test('2: an expert’s key does not ask, an agent’s does not answer', async () => {
    const other = await sides.run(['ask', 'Well?'], { env: sides.expert });
    expect(other).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("This needs an agent's key (hs_...)"),
    });
    expect(await ends(['answer', 'HS-00000000', 'Yes.'])).toMatchObject({ code: 2 });
  });

  test('6: the relay does not take the key', async () => {
    const { consumerKey } = await sides.relay.makeTenant();
    const last = consumerKey.endsWith('0') ? '1' : '0';
    const end = await ends(['ask', 'Well?'], { RELAY_API_KEY: consumerKey.slice(0, -1) + last });
    expect(end).toMatchObject({ code: 6, outcome: 'refused' });
  });

  test('7: another expert than the one that is known', async () => {
    const RELAY_EXPERT = fingerprint.replace(/\d/g, (digit) => String(9 - Number(digit)));
    const refCode = await asked();
    await asExpert('answer', refCode, 'Trust me.');
    const { code, stdout, stderr } = await sides.run(['ask', '--resume', refCode], {
      env: { ...sides.agent, RELAY_EXPERT },
    });
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).not.toContain('Trust me.');
    expect(stderr).toContain('whether the key is new. If it is: relay keys forget');
  });

  test('8: the relay is away', async () => {
    const end = await ends(['whoami'], {
      RELAY_URL: `http://127.0.0.1:${await reservePort()}`,
    });
    expect(end).toMatchObject({ code: 8, outcome: 'unreachable' });
  });

  test('9: a conversation that is not here', async () => {
    expect(await ends(['ask', '--resume', 'HS-00000000'])).toMatchObject({ code: 9, outcome: 'unknown' });
    expect(await ends(['close', 'HS-00000000'])).toMatchObject({ code: 9 });
    expect(await asAgent('listen', 'HS-00000000').ended).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('This machine does not keep HS-00000000'),
    });
    for (const args of [
      ['answer', 'HS-00000000', 'Yes.'],
      ['show', 'HS-00000000'],
    ]) {
      expect(await asExpert(...args)).toMatchObject({
        code: 9,
        stderr: expect.stringContaining('Yours are listed by: relay show'),
      });
    }
  });

  test('130: Ctrl-C, and how to go on', async () => {
    const asking = asAgent('ask', 'Well?');
    const [refCode] = await asking.said(/HS-[0-9A-Z]{8}/);
    await asking.said(/Ctrl-C stops/);
    asking.kill('SIGINT');
    expect(await asking.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining(`relay ask --resume ${refCode}`),
    });
  });
});

test('5: expired', async () => {
  const short = await openTwoSides({ env: { RELAY_CONVERSATION_TTL: '2s' } });
  const { code, stderr } = await short.run(['ask', 'Well?', '--plaintext'], { env: short.agent });
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('has expired') });
  const [refCode = ''] = /HS-[0-9A-Z]{8}/.exec(stderr) ?? [];
  // A text that comes too late stays unsent, and was never confidential.
  await short.run(['ask', '--resume', refCode, 'And now?'], { env: short.agent });
  const resumed = await short.run(['ask', '--resume', refCode], { env: short.agent });
  await short.stop();
  expect(resumed).toMatchObject({ code: 5, stderr: expect.stringContaining('has expired') });
  expect(resumed.stderr).not.toMatch(/confidential|encrypted/);
});
