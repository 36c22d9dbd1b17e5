import type { LyingRelay } from '@expert-relay/testkit';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { startMcpClient } from './testing/mcp-client.ts';
import { useTestCli } from './testing/test-cli.ts';

/* People refer to requests by reference codes. The relay assigns them, and could change them. */

const cli = useTestCli();
let liar: LyingRelay;
let agent: Readonly<Record<string, string>>;
let expert: Readonly<Record<string, string>>;

beforeAll(async () => {
  liar = await cli.startLyingRelay();
  agent = { ...cli.agent, RELAY_URL: liar.url };
  expert = { ...cli.expert, RELAY_URL: liar.url };
  await cli.run(['keys', 'make', '--json'], { env: expert });
});
afterEach(() => liar.tell({}));

const ask = async (question: string): Promise<string> =>
  (await cli.run(['ask', question, '--no-wait'], { env: agent })).stdout.trim();

/** From now on the relay answers each submit with this code, which belongs to another request. */
const assignCode = (refCode: string) =>
  liar.tell({
    answer: (answer, { path }) => (path === '/api/v1/help' ? Object.assign(answer, { refCode }) : answer),
  });

test('the code of a question that was shown cannot be used for another question', async () => {
  const [harmless, harmful] = [await ask('Delete test?'), await ask('Delete PRODUCTION?')];
  expect((await cli.run(['show', harmless], { env: expert })).stdout).toContain('Delete test?');
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
    const { code, stdout, stderr } = await cli.run(args, { env: expert });
    expect({ code, text: stdout + stderr }).toEqual({
      code: 7,
      text: expect.stringMatching(/Another\s+question\s+was\s+shown/),
    });
    expect(stdout + stderr).not.toContain('PRODUCTION');
  }
  expect(written).toEqual([]);
  liar.tell({});
  const answered = await cli.answerAs(expert, harmless, 'Yes.');
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('Delete test?') });
});

test('a question cannot get the code of another question, and so not its answer', async () => {
  const harmless = await ask('Delete test?');
  await cli.answerAs(expert, harmless, 'Yes.');
  assignCode(harmless);
  const message = expect.stringContaining(`the reference code of another one, ${harmless}.`);
  const refused = await cli.run(['ask', 'Delete PRODUCTION?'], { env: agent });
  expect(refused).toEqual({ code: 7, stdout: '', stderr: message });
  liar.tell({});
  const resumed = await cli.run(['ask', '--resume', harmless], { env: agent });
  expect(resumed).toMatchObject({ code: 0, stdout: 'Yes.\n' });
});

test('a question that another key of this machine asks cannot get the code of another question', async () => {
  const harmless = await ask('Delete test?');
  assignCode(harmless);
  const { consumerKey } = await cli.relay.makeTenant();
  const env = { ...agent, RELAY_API_KEY: consumerKey };
  const refused = await cli.run(['ask', 'Delete PRODUCTION?', '--no-wait'], { env });
  expect(refused).toMatchObject({ code: 7, stdout: '' });
});

test('a question of an AI agent cannot get the code of another question', async () => {
  const client = await startMcpClient({ env: { ...agent, RELAY_CONFIG_DIR: `${cli.folder}/mcp` } });
  try {
    const { data } = await client.call('ask_expert', { question: 'Delete test?' });
    assignCode(String(data.reference));
    const { isError, text } = await client.call('ask_expert', { question: 'Delete PRODUCTION?' });
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringMatching(
        /the reference code of another one.*Do not rely on this conversation.*question_altered/s,
      ),
    });
    liar.tell({});
    const { data: status } = await client.call('conversation_status', {});
    expect(status.conversations).toMatchObject([{ reference: data.reference }]);
  } finally {
    await client.close();
  }
});

test('an answer is not shown with another question', async () => {
  const refCode = await ask('Delete test?');
  await cli.answerAs(expert, refCode, 'Yes.');
  for (const lie of [
    { question: 'Delete PRODUCTION?' },
    { context: [{ role: 'user', content: 'Hurry.' }] },
  ]) {
    liar.tell({
      answer: (answer, { path }) => (path.includes('/messages/') ? Object.assign(answer, lie) : answer),
    });
    // The question is the one that this machine has stored.
    const { code, stdout } = await cli.run(['show', refCode], { env: agent });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/Delete test\?.*Yes\./s) });
    expect(stdout).not.toMatch(/PRODUCTION|Hurry/);
  }
  liar.tell({});
});
