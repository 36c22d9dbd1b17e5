import { setTimeout } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { makeRoot } from '../../../crypto/index.ts';
import { type Conversation, RelayError } from '../../../index.ts';
import { quick } from '../../quick.ts';
import { type LieContext, type Setup, texts, timingFor } from '../lie-context.ts';
import type { AgentRow } from './agent-row.ts';

interface AgentResult {
  /** Undefined when the question was refused. */
  readonly conversation: Conversation | undefined;
  readonly answers: readonly { readonly text: string; readonly protection: string }[];
  /** The error of waiting for answers; undefined when all of them came. */
  readonly error: RelayError | undefined;
  /** How many messages left the agent's client. */
  readonly sent: number;
}

/** How long the test waits for an answer that may not come. */
const uncertainAnswerMs = 600;

/** An agent asks through the lying relay. The expert answers three times, each time after the agent could read. */
export async function runAsAgent(setup: Setup, context: LieContext, row: AgentRow): Promise<AgentResult> {
  const { server, liar, consumerKey, root } = setup;
  const expert = setup.expert({ root, timing: { ...quick, partsMs: row.error ? 2_000 : 60_000 } });
  let sent = 0;
  const relay = server.agent({
    url: liar.url,
    apiKey: consumerKey,
    agentName: 'deploy bot',
    timing: timingFor(row),
    acceptUnprotected: row.acceptUnprotected,
    secret: makeRoot(),
    expert: row.known ? await expert.fingerprint() : undefined,
    fetch(url, init) {
      if (init?.method === 'POST' && String(url).includes('/message/')) sent += 1;
      return fetch(url, init);
    },
  });
  liar.tell({});
  const before = { question: 'Something before?', once: row.asked?.once };
  const earlier = row.askedBefore ? await relay.ask(before) : undefined;
  liar.tell(row.lie({ ...context, earlier }));
  const { expiresIn, ...asked } = row.asked ?? { question: 'May I?' };
  const expiresInMs = expiresIn && expiresIn * 1_000;
  const conversation = await relay.ask({ ...asked, expiresInMs }).catch((error: unknown) => {
    if (!(error instanceof RelayError)) throw error;
    return error;
  });
  if (conversation instanceof RelayError) {
    return { conversation: undefined, answers: [], error: conversation, sent };
  }
  const request = await expert.request(conversation.requestId);
  const expected = row.after ?? (row.error ? 0 : texts.length);
  const answers: { text: string; protection: string }[] = [];
  let error: RelayError | undefined;
  const readAnswers = async () => {
    for await (const { text, protection } of conversation) {
      answers.push({ text, protection });
      if (answers.length === texts.length) return;
    }
    await conversation.waitForAnswer();
  };
  const startReading = () =>
    readAnswers().catch((cause: unknown) => {
      if (!(cause instanceof RelayError)) throw cause;
      error = cause;
    });
  let reading = row.all ? undefined : startReading();
  await request.pickUp();
  // An agent that has noticed the lie does not send its confidential question, and then the expert answers nothing.
  const asks = await request.receive().catch((error: unknown) => {
    if (!RelayError.is(error, 'parts_missing') || !row.error) throw error;
  });
  for (const [index, text] of asks ? texts.entries() : []) {
    await request.answer(text);
    if (row.all) continue;
    const isCertain = index < expected && !row.isDelayed;
    const timeoutMs = isCertain ? 60_000 : uncertainAnswerMs;
    await eventually('the answer', () => answers.length > index || error, { timeoutMs }).catch(() => {});
  }
  reading ??= startReading();
  const patience = row.error?.code === 'timeout' ? 1_000 : 60_000;
  await Promise.race([reading, setTimeout(patience, undefined, { ref: false })]);
  if (answers.length < texts.length) error ??= new RelayError('timeout', 'No answer came.');
  relay.stop();
  expert.stop();
  return { conversation, answers, error, sent };
}
