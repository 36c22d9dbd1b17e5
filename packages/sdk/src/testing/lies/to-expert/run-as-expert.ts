import { setTimeout } from 'node:timers/promises';
import { eventually, type Json } from '@expert-relay/testkit';
import { restoreAgentKeys } from '../../../crypto/agent-keys.ts';
import { openChannel } from '../../../crypto/channel.ts';
import { openExpertKeys } from '../../../crypto/index.ts';
import type { MessageRecord } from '../../../crypto/message.ts';
import type { Expert, ExpertRequest, ListedQuestion } from '../../../expert/index.ts';
import { type Conversation, createMemoryStore, RelayError, type Store } from '../../../index.ts';
import type { Message } from '../../../thread/message.ts';
import { type LieContext, type Setup, texts, timingFor } from '../lie-context.ts';
import type { ExpertRow } from './expert-row.ts';

interface ExpertResult {
  readonly conversation: Conversation;
  readonly request: ExpertRequest | undefined;
  /** The request in the list, if the expert listed it. */
  readonly listed: ListedQuestion | undefined;
  /** The messages that the expert got. */
  readonly messages: readonly Message[];
  /** The expert's first error. */
  readonly error: RelayError | undefined;
  /** The bodies of the calls that sent answers, as they left the expert's client. */
  readonly sent: readonly Json[];
  /** The answers that the agent got, and its error. */
  readonly agent: { readonly answers: readonly string[]; readonly error: RelayError | undefined };
  stop(): Promise<void>;
}

/** The answers that the expert sends. */
export const answers: readonly string[] = ['Yes.', 'Really.'];

const relayError = (error: unknown): RelayError => {
  if (error instanceof RelayError) return error;
  throw error;
};

/** How long the test waits for a message that may not come. */
const uncertainMessageMs = 900;

/** An agent calls the relay directly. Its expert calls the relay through the lying proxy. */
export async function runAsExpert(setup: Setup, context: LieContext, row: ExpertRow): Promise<ExpertResult> {
  const { server, consumerKey, liar, root } = setup;
  const relay = server.agent({ apiKey: consumerKey, agentName: 'deploy bot' });
  const conversation = await relay.ask({
    question: 'May I?',
    messages: [{ role: 'user', content: 'The deploy hangs.' }],
    encrypted: !row.plain,
  });
  const { requestId, refCode } = conversation;
  const store = createMemoryStore();
  if (row.before) await runEarlierClient(setup, { requestId, before: row.before, store });
  if (row.closed) await conversation.close();
  const { signPublic, encryptPublic } = await (await openExpertKeys(root)).keysFor(requestId);
  const own = { sign: signPublic.pem, encrypt: encryptPublic.pem };
  liar.tell(row.lie({ ...context, requestId, refCode, own }));

  const sent: Json[] = [];
  const recordingFetch: typeof fetch = (url, init) => {
    if (init?.method === 'POST' && /\/messages?(\/|$)/.test(String(url)))
      sent.push(JSON.parse(String(init.body)));
    return setup.fetch(url, init);
  };
  const expert = setup.expert({
    url: liar.url,
    root,
    store,
    timing: timingFor(row),
    fetch: recordingFetch,
  });
  const expected = row.after ?? (row.error || row.agent ? 0 : texts.length);
  const messages: Message[] = [];
  const agent: { answers: string[]; error: RelayError | undefined } = { answers: [], error: undefined };
  let error: RelayError | undefined;
  let isOver = false;
  const noteError = (cause: unknown) => {
    if (!isOver) error ??= relayError(cause);
  };
  const noteAgentError = (cause: unknown) => {
    agent.error = relayError(cause);
  };
  const countFromAgent = () =>
    messages.filter(({ from, protection }) => from === 'agent' && protection === 'sequenced').length;

  async function readMessages(request: ExpertRequest): Promise<void> {
    for await (const message of request.messages) messages.push(message);
  }
  async function sendAnswers(request: ExpertRequest): Promise<void> {
    for (const text of answers) await request.answer(text);
    // The relay lists them, too: whether the client reads that before its end is no matter of time.
    await request.refresh();
  }
  async function sendMessages(): Promise<void> {
    await conversation.refresh().catch(noteAgentError);
    for (const [index, text] of texts.entries()) {
      if (agent.error || error || conversation.verification === 'none') break;
      await conversation.send(text).catch(noteAgentError);
      if (row.all) continue;
      // With the last one, what was delayed has come: an answer from before it would be an early one.
      const isCertain = index < expected && (!row.isDelayed || index === texts.length - 1);
      const timeoutMs = isCertain ? 60_000 : uncertainMessageMs;
      await eventually('the message', () => countFromAgent() > index || error, { timeoutMs }).catch(() => {});
    }
  }
  async function readAnswers(): Promise<void> {
    // The agent's result is not part of every row.
    if (row.closed || (error && row.agent === undefined)) return;
    const timeoutMs = row.agent?.code === 'timeout' ? 300 : 60_000;
    while (agent.answers.length < answers.length && !agent.error) {
      await conversation
        .waitForAnswer({ timeoutMs })
        .then(({ text }) => void agent.answers.push(text), noteAgentError);
    }
  }

  const listed = row.lists ? await expert.list().catch(noteError) : undefined;
  const request = error ? undefined : await find(expert, conversation, row).catch(noteError);
  if (request) {
    if (!row.all) readMessages(request).catch(noteError);
    if (request.encrypted) await request.pickUp().catch(noteError);
    await sendMessages();
    if (row.all) readMessages(request).catch(noteError);
    if (row.all) await eventually('all messages', () => countFromAgent() === texts.length || error);
    if (!error) await sendAnswers(request).catch(noteError);
    await readAnswers();
    // A list without an end is refused after thousands of calls.
    const timeoutMs = 200_000;
    if (row.error) await eventually("the expert's error", () => error, { timeoutMs }).catch(() => {});
  }
  return {
    conversation,
    request: request ?? undefined,
    listed: listed?.find((one) => one.requestId === requestId),
    messages,
    error,
    sent,
    agent,
    async stop() {
      isOver = true;
      expert.stop();
      if (!row.closed) await conversation.close().catch(() => {});
      relay.stop();
    },
  };
}

/** An earlier client of the expert, which calls the relay directly and fills the store. */
async function runEarlierClient(
  { expert: connect, root }: Setup,
  { requestId, before, store }: { requestId: string; before: ExpertRow['before']; store: Store },
): Promise<void> {
  const expert = connect({ root, store });
  if (before === 'list') {
    await expert.list();
    expert.stop();
    return;
  }
  const request = await expert.request(requestId);
  if (before !== 'read') await request.pickUp();
  if (before === 'answer' || before === 'answer and read')
    for (const text of answers) await request.answer(text);
  if (before === 'answer and read') await request.refresh();
  expert.stop();
}

/** The request, by its id, by its code, or from the list, which must not return a request twice. */
async function find(
  expert: Expert,
  { requestId, refCode }: Conversation,
  { by, error: expected }: ExpertRow,
): Promise<ExpertRequest> {
  if (by === 'code') return await expert.request(refCode.toLowerCase());
  if (by !== 'requests') return await expert.request(requestId);
  const found: ExpertRequest[] = [];
  const enough = new AbortController();
  const ours = () => found.find((request) => request.requestId === requestId);
  const list = async () => {
    for await (const request of expert.requests({ signal: enough.signal })) found.push(request);
  };
  // A list of two thousand pages takes as long as it takes.
  const patience = expected?.code === 'timeout' ? 1_000 : Number.POSITIVE_INFINITY;
  let hasFailed = false;
  const listing = list().catch((error: unknown) => {
    hasFailed = true;
    throw error;
  });
  const listed = eventually('the request', () => ours() || hasFailed, { timeoutMs: patience }).catch(
    () => {},
  );
  await Promise.race([listing, listed]);
  // A repeated request would be returned soon after the first.
  await setTimeout(300);
  enough.abort();
  const request = ours();
  if (!request) throw new RelayError('timeout', 'It was not listed.');
  if (new Set(found.map((one) => one.requestId)).size === found.length) return request;
  throw new Error('A request was returned twice.');
}

/** Whether the expert encrypted an answer for the keys that the agent really has. */
export async function opensForAgent(
  conversation: Conversation,
  { server, consumerKey, root }: Setup,
  body: Json,
): Promise<boolean> {
  const { requestId } = conversation;
  const { keys, submissionDigest } = conversation.export();
  if (!keys) throw new Error('The agent asked without keys.');
  const list = await fetch(`${server.gatewayUrl}/api/v1/messages/${requestId}`, {
    headers: { 'x-api-key': consumerKey },
  });
  const { keySignature } = (await list.json()) as { keySignature?: string };
  const { signPublic: sign, encryptPublic: encrypt } = await (await openExpertKeys(root)).keysFor(requestId);
  const own = await restoreAgentKeys(keys);
  // Messages are bound to the question that the expert was shown: that of the agent, or what the pick-up signed.
  for (const digest of [submissionDigest, keySignature]) {
    const submission = new Uint8Array(Buffer.from(digest ?? '', 'base64').subarray(0, 32));
    const peer = { sign, encrypt };
    const channel = await openChannel({ requestId, role: 'consumer', own, peer, submission });
    const error = await channel.open(body as unknown as MessageRecord).then(() => undefined, relayError);
    // It was decrypted: only then it is found that earlier messages are missing.
    if (!error || error.reason === 'message_missing') return true;
  }
  return false;
}
