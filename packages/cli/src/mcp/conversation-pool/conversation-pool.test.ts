import { rmSync } from 'node:fs';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import { type Cable, createCable, eventually } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openAgent } from '../../relay/open-agent.ts';
import { createScreen } from '../../terminal/screen.ts';
import { newFolder } from '../../testing/mcp-client.ts';
import { explainFailure, startDeadline } from '../create-mcp-server.ts';
import { AskFailure, type ConversationPool, createConversationPool } from './conversation-pool.ts';

let relay: Constellation;
let tenant: Tenant;
let cable: Cable;
let folder: string;
let pool: ConversationPool;

beforeAll(async () => {
  relay = await startConstellation();
});
afterAll(() => relay.stop());

beforeEach(async () => {
  tenant = await relay.makeTenant();
  cable = await createCable(relay.gatewayUrl);
  folder = newFolder();
  const config = {
    url: cable.url,
    apiKey: tenant.consumerKey,
    kind: 'consumer',
    folder,
    colours: false,
  } as const;
  const err = createScreen({ write() {} }, { colours: false });
  const context = { config, folder, err, now: Date.now } as Parameters<typeof openAgent>[0];
  pool = createConversationPool({ openAgent: () => openAgent(context), now: Date.now });
});
afterEach(async () => {
  pool.stop();
  await cable.stop();
  rmSync(folder, { recursive: true });
});

const sent = Promise.resolve(true);
const patient = () => ({ signal: new AbortController().signal, sent });
const question = { question: 'May I?' };

async function get(path: string): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(`${relay.gatewayUrl}/api/v1/${path}`, {
    headers: { 'x-api-key': tenant.consumerKey },
  });
  return response.json();
}

/** Runs something that the network, which drops everything, keeps from ending. */
async function impatiently<T>(
  run: (use: { signal: AbortSignal; sent: Promise<boolean> }) => Promise<T>,
): Promise<T> {
  cable.hold();
  const deadline = startDeadline(1, new AbortController().signal);
  return run({ signal: deadline.signal, sent }).finally(deadline.end);
}

describe('when the network fails', () => {
  test('a question is gone on with, and asked once', async () => {
    const failure = await impatiently((use) => pool.ask(question, use, () => {})).catch((error) => error);
    expect(failure).toBeInstanceOf(AskFailure);
    const { id } = failure as AskFailure;
    expect(explainFailure(failure, new AbortController().signal)).toContain(
      `call wait_for_answer with the reference ${id}`,
    );
    expect(pool.list()).toMatchObject([{ state: { id } }]);

    await cable.restore();
    const refCode = await pool.use(id, patient(), ({ conversation }) => conversation.refCode);
    expect((await get('requests')).requests).toMatchObject([{ refCode, question: 'May I?' }]);
    expect(pool.list()).toMatchObject([{ state: { request: { refCode } }, entries: [{ text: 'May I?' }] }]);
  });

  test('a reply that may have gone out is not asked for again, and arrives once by itself', async () => {
    const { id, requestId } = await pool.ask(question, patient(), ({ conversation }) => conversation);
    const expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root: makeRoot() });
    const request = await expert.request(requestId);
    await request.answer('Which one?');
    await pool.use(id, patient(), async ({ nextAnswers }) => (await nextAnswers(patient()))?.delivered());

    const isSent = await pool.use(id, patient(), async ({ conversation, reply }) => {
      // Else it would not go out at all: nothing is sent before the list was read.
      await conversation.refresh();
      return await impatiently((use) => reply('This one.', use.signal));
    });
    expect(isSent).toBe(false);
    await cable.restore();
    await eventually(
      'the reply to arrive',
      async () => (await get(`messages/${requestId}`)).messages.length === 2,
    );
    for await (const { role, text } of request.messages) {
      if (role === 'consumer') {
        expect(text).toBe('This one.');
        break;
      }
    }
    expect((await get(`messages/${requestId}`)).messages).toHaveLength(2);
    expert.stop();
  });
});

test('what did not reach the agent is given again, in order', async () => {
  const { id, requestId } = await pool.ask(question, patient(), ({ conversation }) => conversation);
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root: makeRoot() });
  const request = await expert.request(requestId);
  for (const text of ['one', 'two', 'three']) await request.answer(text);

  const given: string[] = [];
  for (let arrives = false; given.length < 3; arrives = !arrives) {
    await pool.use(id, patient(), async ({ nextAnswers }) => {
      const answers = await nextAnswers(patient());
      if (arrives) given.push(...(answers?.entries ?? []).map(({ text }) => text));
      if (arrives) answers?.delivered();
      else answers?.putBack();
    });
  }
  expect(given).toEqual(['one', 'two', 'three']);
  expert.stop();
});
