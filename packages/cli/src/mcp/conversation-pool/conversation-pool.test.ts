import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Failure } from '../../failure.ts';
import { openAgent } from '../../relay/open-agent.ts';
import { createScreen } from '../../terminal/screen.ts';
import { type McpSession, useMcpRelay } from '../../testing/mcp-session.ts';
import { explainFailure } from '../explain-failure.ts';
import { AskFailure, ConversationPool } from './conversation-pool.ts';

const { openSession } = useMcpRelay();
let session: McpSession;
let pool: ConversationPool;

beforeEach(async () => {
  session = await openSession();
  const { RELAY_URL: url = '', RELAY_API_KEY: apiKey = '', RELAY_CONFIG_DIR: folder = '' } = session.env;
  const config = { url, apiKey, kind: 'consumer', folder, colours: false } as const;
  const err = createScreen({ write() {} }, { colours: false });
  const context = { config, folder, err, now: Date.now } as Parameters<typeof openAgent>[0];
  pool = new ConversationPool({ openAgent: () => openAgent(context), now: Date.now });
});
afterEach(async () => {
  await pool.stop();
  await session.stop();
});

const withoutDeadline = () => ({ signal: new AbortController().signal });
const question = { question: 'May I?' };

async function get(path: string): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(`${session.relay.gatewayUrl}/api/v1/${path}`, {
    headers: { 'x-api-key': session.tenant.consumerKey },
  });
  return response.json();
}

/** Runs a call while the network drops all packets. Its deadline passes once the text is stored. */
async function withoutNetwork<T>(
  run: (use: { signal: AbortSignal }) => Promise<T>,
  isStored: () => boolean | Promise<boolean>,
): Promise<T> {
  session.proxy.hold();
  const deadline = new AbortController();
  const running = run({ signal: deadline.signal });
  const [result] = await Promise.allSettled([
    running,
    eventually('the text to be stored', isStored).finally(() =>
      deadline.abort(new Failure('unreachable', 'The relay has not answered in time.')),
    ),
  ]);
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

describe('when the network fails', () => {
  test('a question can be continued, and is submitted once', async () => {
    const failure = await withoutNetwork(
      (use) => pool.ask(question, use, () => {}),
      async () => (await pool.list(() => {})).length === 1,
    ).catch((error) => error);
    expect(failure).toBeInstanceOf(AskFailure);
    const { id } = failure as AskFailure;
    expect(explainFailure(failure, new AbortController().signal)).toContain(
      `call wait_for_answer with the reference ${id}`,
    );
    expect(await pool.list(() => {})).toMatchObject([{ state: { id } }]);

    await session.proxy.restore();
    const refCode = await pool.use(id, withoutDeadline(), ({ conversation }) => conversation.refCode);
    expect((await get('requests')).requests).toMatchObject([{ refCode, question: 'May I?' }]);
    expect(await pool.list(() => {})).toMatchObject([
      { state: { request: { refCode } }, entries: [{ text: 'May I?' }] },
    ]);
  });

  test('a reply that may have been sent arrives once, without another call', async () => {
    const { id, requestId } = await pool.ask(question, withoutDeadline(), ({ conversation }) => conversation);
    const request = await session.expert.request(requestId);
    await request.answer('Which one?');
    await pool.use(id, withoutDeadline(), (leased) => leased.nextAnswers(withoutDeadline()));

    const isSent = await pool.use(id, withoutDeadline(), async (leased) => {
      const { conversation } = leased;
      // Nothing is sent before the list was read.
      await conversation.refresh();
      return await withoutNetwork(
        (use) => leased.reply({ text: 'This one.' }, use.signal),
        // It was encrypted. Before that, a text is dropped with its call.
        () => conversation.export().sender?.outgoing !== undefined,
      );
    });
    expect(isSent).toBe(false);
    await session.proxy.restore();
    await eventually(
      'the reply to arrive',
      async () => (await get(`messages/${requestId}`)).messages.length === 2,
    );
    for await (const { from, text } of request.messages) {
      if (from === 'agent') {
        expect(text).toBe('This one.');
        break;
      }
    }
    expect((await get(`messages/${requestId}`)).messages).toHaveLength(2);
  });
});

test('nothing is sent before a decision that has arrived was returned, and the decision still counts after that', async () => {
  const form = { type: 'object', properties: {} } as const;
  const { id, requestId } = await pool.ask(
    { ...question, form },
    withoutDeadline(),
    ({ conversation }) => conversation,
  );
  const request = await session.expert.request(requestId);
  await request.answer('Fine.', { decision: { action: 'accept', content: {} } });
  const { signal } = withoutDeadline();
  await pool.use(id, { signal }, async (leased) => {
    const decided = await leased.nextAnswers({ signal });
    expect(decided).toMatchObject([{ text: 'Fine.', decision: { action: 'accept' } }]);
    await expect(leased.reply({ text: 'Wait!' }, signal)).rejects.toThrow(/has decided meanwhile/);
    expect(await leased.nextAnswers({ signal })).toEqual(decided);
  });
  const thanks = pool.use(id, { signal }, (leased) => leased.reply({ text: 'Thank you.' }, signal));
  await expect(thanks).resolves.toBe(true);
  expect((await get(`messages/${requestId}`)).messages).toHaveLength(2);
});
