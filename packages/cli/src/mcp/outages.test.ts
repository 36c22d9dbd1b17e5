import { rmSync } from 'node:fs';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { createExpert } from '@expert-relay/sdk/expert';
import { type Cable, createCable } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type McpClient, newFolder, startMcpClient } from '../testing/mcp-client.ts';

let relay: Constellation;
let tenant: Tenant;
let cable: Cable;
let folder: string;
let agent: McpClient;

beforeAll(async () => {
  relay = await startConstellation();
});
afterAll(() => relay.stop());
beforeEach(async () => {
  tenant = await relay.makeTenant();
  cable = await createCable(relay.gatewayUrl);
  folder = newFolder();
  agent = await start();
});
afterEach(async () => {
  await agent.close();
  await cable.stop();
  rmSync(folder, { recursive: true });
});

const start = (env: Record<string, string> = {}): Promise<McpClient> =>
  startMcpClient({
    RELAY_URL: cable.url,
    RELAY_API_KEY: tenant.consumerKey,
    RELAY_CONFIG_DIR: folder,
    ...env,
  });

async function restart(env: Record<string, string>): Promise<void> {
  await agent.close();
  agent = await start(env);
}

const question = 'May I remove the lock?';
const ask = async (input: object = {}) => (await agent.call('ask_expert', { question, ...input })).data;
const wait = (reference: string, max_seconds: number) =>
  agent.call('wait_for_answer', { reference, max_seconds });

async function answer(reference: string, text: string): Promise<void> {
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey });
  await (await expert.request(reference)).answer(text, { plaintext: true });
  expert.stop();
}

const occurrences = (text: string, part: string) => text.split(part).length - 1;

describe('when the relay is away', () => {
  test.each<['refuses connections' | 'drops everything']>([['refuses connections'], ['drops everything']])(
    'and %s, a wait says so, and nothing of answers',
    async (how) => {
      const { reference } = await ask();
      if (how === 'drops everything') cable.hold();
      else await cable.cut();
      const { isError, data, text } = await wait(reference, 5);
      expect({ isError, data }).toMatchObject({
        isError: false,
        data: { outcome: 'unreachable', reference, answers: [] },
      });
      expect(text).toMatch(/^Whether the expert has answered HS-\w+ is not known\. The relay/);
      expect(text).not.toContain('no new answer');
      await cable.restore();
      await answer(reference, 'Yes.');
      expect((await wait(reference, 50)).data.answers).toMatchObject([{ text: 'Yes.' }]);
      if (how === 'drops everything') return;
      expect(occurrences(agent.errors(), 'cannot be reached')).toBe(1);
      expect(occurrences(agent.errors(), 'answers again')).toBe(1);
    },
  );

  test('a question that may have arrived is listed under the id that was given, and gone on with', async () => {
    await cable.cut();
    const failed = await agent.call('ask_expert', { question });
    const [id = ''] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(failed.text) ?? [];
    expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('never asks it twice') });
    const listed = await agent.call('conversation_status');
    expect(listed.data.conversations).toEqual([{ reference: id, status: 'unconfirmed', answers_given: 0 }]);
    expect(listed.text).toContain(`${id}: it is not known whether the question has arrived.`);
    await cable.restore();
    const { data } = await wait(id, 5);
    expect(data).toMatchObject({ outcome: 'still_waiting', reference: expect.stringMatching(/^HS-/) });
    expect((await agent.call('conversation_status')).data.conversations).toMatchObject([
      { reference: data.reference, status: 'pending' },
    ]);
  });
});

test('a client that asks for progress hears of it every few seconds', async () => {
  const { reference } = await ask();
  const times: number[] = [performance.now()];
  const messages: (string | undefined)[] = [];
  const result = await agent.client.callTool(
    { name: 'wait_for_answer', arguments: { reference, max_seconds: 16 } },
    undefined,
    {
      onprogress({ progress, total, message }) {
        times.push(performance.now());
        messages.push(`${progress} of ${total}: ${message}`);
      },
    },
  );
  times.push(performance.now());
  expect(result.structuredContent).toMatchObject({ outcome: 'still_waiting' });
  expect(messages.slice(0, 3)).toEqual([
    "0 of 16: Wait for the expert's answer",
    "5 of 16: Wait for the expert's answer",
    "10 of 16: Wait for the expert's answer",
  ]);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(10_000);
});

describe('settings that are wrong', () => {
  test.each([
    ['RELAY_URL', () => 'nonsense', /^RELAY_URL is not an address/],
    ['RELAY_API_KEY', () => 'hs_short', /^RELAY_API_KEY is not a key/],
    ['RELAY_EXPERT', () => '12345', /^RELAY_EXPERT is not a fingerprint/],
    ['RELAY_URL', () => `${relay.gatewayUrl}/api/v1`, /has a path.*\nSet RELAY_URL=http/],
    ['RELAY_URL', () => relay.hubUrl, /is the address of an event hub/],
  ])('as %s start the server, whose tools say what is wrong: %#', async (name, value, sentence) => {
    await restart({ [name]: value() });
    for (const [tool, input] of [
      ['ask_expert', { question }],
      ['conversation_status', {}],
    ] as const) {
      expect(await agent.call(tool, input)).toMatchObject({
        isError: true,
        text: expect.stringMatching(sentence),
      });
    }
    expect((await agent.call('ask_expert', { question })).text).toContain('"env" in the MCP settings');
  });
});

describe('an idempotency key', () => {
  test('gives the same conversation, from calls at once and after a restart', async () => {
    const named = { idempotency_key: 'lock-1' };
    const [first, second] = await Promise.all([ask(named), ask(named)]);
    expect(second.reference).toBe(first.reference);
    await restart({});
    expect((await ask(named)).reference).toBe(first.reference);
    expect((await ask({ idempotency_key: 'lock-2' })).reference).not.toBe(first.reference);
    expect((await agent.call('conversation_status')).data.conversations).toHaveLength(2);
  });

  test('stands for one question', async () => {
    await ask({ idempotency_key: 'one' });
    const other = { question: 'And the second lock?', idempotency_key: 'one' };
    expect(await agent.call('ask_expert', other)).toMatchObject({
      isError: true,
      text: expect.stringContaining('used for another question'),
    });
  });
});

test('a question that the relay has refused is not kept', async () => {
  await restart({ RELAY_API_KEY: tenant.consumerKey.replace(/.$/, (last) => (last === '0' ? '1' : '0')) });
  expect(await agent.call('ask_expert', { question })).toMatchObject({ isError: true });
  expect((await agent.call('conversation_status')).data.conversations).toEqual([]);
});
