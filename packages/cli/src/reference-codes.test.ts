import { type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startMcpClient } from './testing/mcp-client.ts';
import { openTwoSides, type TwoSides } from './testing/two-sides.ts';

/** People name requests by reference codes, which only the relay vouches for. */
let sides: TwoSides;
let liar: LyingRelay;
let agent: Readonly<Record<string, string>>;
let expert: Readonly<Record<string, string>>;

beforeAll(async () => {
  sides = await openTwoSides();
  liar = await startLyingRelay(sides.relay);
  agent = { ...sides.agent, RELAY_URL: liar.url };
  expert = { ...sides.expert, RELAY_URL: liar.url };
  await sides.run(['keys', 'make', '--json'], { env: expert });
});
afterEach(() => liar.tell({}));
afterAll(async () => {
  await liar.stop();
  await sides.stop();
});

const ask = async (question: string): Promise<string> =>
  (await sides.run(['ask', question, '--no-wait'], { env: agent })).stdout.trim();

/** The relay answers each submit with the code of another request. */
const tellCode = (refCode: string) =>
  liar.tell({
    answer: (answer, { path }) => (path === '/api/v1/help' ? Object.assign(answer, { refCode }) : answer),
  });

test('the code of a question that was shown leads to no other question', async () => {
  const [harmless, harmful] = [await ask('Delete test?'), await ask('Delete PRODUCTION?')];
  expect((await sides.run(['show', harmless], { env: expert })).stdout).toContain('Delete test?');
  const written: string[] = [];
  liar.tell({
    call(call) {
      call.path = call.path.replace(harmless, harmful);
      if (call.method === 'POST') written.push(call.path);
    },
    answer: (answer) => JSON.stringify(answer).replaceAll(harmful, harmless),
  });
  for (const args of [
    ['answer', harmless, 'Yes.'],
    ['show', harmless],
    ['pickup', harmless],
  ]) {
    expect(await sides.run(args, { env: expert })).toEqual({
      code: 7,
      stdout: '',
      stderr: expect.stringContaining(`${harmless} now stands for another request.`),
    });
  }
  expect(written).toEqual([]);
  liar.tell({});
  const answered = await sides.run(['answer', harmless, 'Yes.'], { env: expert });
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('Delete test?') });
}, 180_000);

test('a question does not get the code, and so the answer, of another one', async () => {
  const harmless = await ask('Delete test?');
  await sides.run(['answer', harmless, 'Yes.'], { env: expert });
  tellCode(harmless);
  const message = expect.stringContaining(`the reference code of another one, ${harmless}.`);
  const refused = await sides.run(['ask', 'Delete PRODUCTION?'], { env: agent });
  expect(refused).toEqual({ code: 7, stdout: '', stderr: message });
  liar.tell({});
  const resumed = await sides.run(['ask', '--resume', harmless], { env: agent });
  expect(resumed).toMatchObject({ code: 0, stdout: 'Yes.\n' });
}, 180_000);

test('nor does that of an AI agent', async () => {
  const client = await startMcpClient({ ...agent, RELAY_CONFIG_DIR: `${sides.folder}/mcp` });
  try {
    const { data } = await client.call('ask_expert', { question: 'Delete test?' });
    tellCode(String(data.reference));
    const { isError, text } = await client.call('ask_expert', { question: 'Delete PRODUCTION?' });
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringMatching(/the reference code of another one.*Do not rely.*question_altered/s),
    });
    liar.tell({});
    const { data: status } = await client.call('conversation_status', {});
    expect(status.conversations).toMatchObject([{ reference: data.reference }]);
  } finally {
    await client.close();
  }
}, 180_000);

test('no other question is shown above an answer', async () => {
  const refCode = await ask('Delete test?');
  await sides.run(['answer', refCode, 'Yes.'], { env: expert });
  for (const lie of [
    { question: 'Delete PRODUCTION?' },
    { context: [{ role: 'user', content: 'Hurry.' }] },
  ]) {
    liar.tell({
      answer: (answer, { path }) => (path.includes('/messages/') ? Object.assign(answer, lie) : answer),
    });
    expect(await sides.run(['show', refCode], { env: agent })).toEqual({
      code: 7,
      stdout: '',
      stderr: expect.stringContaining(`The relay shows another question for ${refCode} than was asked.`),
    });
  }
  liar.tell({});
  const { code, stdout } = await sides.run(['show', refCode], { env: agent });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/Delete test\?.*Yes\./s) });
}, 180_000);
