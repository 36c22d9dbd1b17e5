import type { Conversation, Relay } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { askClosable } from '@expert-relay/sdk/internal';
import { readTextArgument } from '../arguments/read-text-argument.ts';
import type { Context } from '../context.ts';
import { explainError, isNotAsked } from '../explain-error.ts';
import type { Failure } from '../failure.ts';
import { readFileToSend } from '../files/file-to-send.ts';
import { notStored, openAgent } from '../relay/open-agent.ts';
import { type Outages, warnWhenSlow } from '../relay/outages.ts';
import { isUnsent, sendText } from '../relay/send-text.ts';
import { Journal, ownEntry } from '../store/journal.ts';
import type { AskPlan, QuestionPlan } from './read-plan.ts';
import { readContext, readQuestionForm } from './read-question.ts';
import { describeUnsent } from './show-answers.ts';

/** The conversation of a running command. */
export interface ActiveConversation {
  conversation: Conversation;
  journal: Journal;
  outages: Outages;
  /** Ends what this process does for it. The conversation itself goes on. */
  end(): Promise<void>;
}

const instead = 'An expert answers: relay answer HS-... "..."';

/** A command that nothing waits for any more must not hold its user up for longer. */
const closingMs = 5_000;

type Closing = NonNullable<Parameters<Conversation['close']>[0]>;

export const closeInTime = <T>(one: { close(options: Closing): Promise<T> }): Promise<T> =>
  one.close({ signal: AbortSignal.timeout(closingMs) });

/**
 * Asks. The conversation is stored before the question is sent, so that a crash neither loses nor repeats it. With
 * `closesAtEnd`, the question is closed where this fails or is interrupted.
 */
export async function startConversation(
  context: Context,
  plan: QuestionPlan,
  { closesAtEnd = false } = {},
): Promise<ActiveConversation> {
  const { acceptsUnprotected, agentName } = plan;
  const opened = openAgent(context, { instead, acceptsUnprotected, agentName });
  const { conversations, connect, outages } = opened;
  const { confidential, encrypted, expiresInMs, tags, attach, validForMs } = plan;
  const question = await readTextArgument(context, plan.words[0] ?? '');
  const messages = await readContext(context, plan.context);
  const form = await readQuestionForm(context, plan.asksFor);
  const files = readFiles(attach);
  const entries = [ownEntry({ text: question, form, files, isEncrypted: confidential, now: context.now() })];
  const journal = new Journal(conversations, { entries, context: messages, validForMs });
  let isNew = true;
  let id: string | undefined;
  let closable: ReturnType<typeof askClosable<Form>> | undefined;
  const relay = connect(journal);
  const onId = async (given: string, isNewId: boolean) => {
    await journal.lock(given);
    [id, isNew] = [given, isNewId];
    if (!isNew) await journal.limitAge(id, validForMs);
  };
  const end = endOf(relay, outages, journal);
  try {
    const asked = {
      question,
      messages,
      form,
      files,
      confidential,
      encrypted,
      expiresInMs,
      tags,
      once: plan.once,
      signal: context.signal,
    };
    closable = closesAtEnd ? askClosable(relay, asked, { onId }) : undefined;
    const asking = closable?.conversation ?? relay.ask(asked, { onId });
    const conversation = await warnWhenSlow(context.err, outages, asking);
    if (!isNew) await journal.deliverAgain(conversation.id);
    return { conversation, journal, outages, end };
  } catch (error) {
    const closed = closable && (await closeInTime(closable).catch(() => 'failed' as const));
    await end();
    const failure = explainError(error, context.signal);
    if (id !== undefined && isNew && isNotAsked(failure)) await conversations.forget(id);
    throw describeFailure(failure, id, closed);
  }
}

const endOf = (relay: Relay, outages: Outages, journal: Journal) => async () => {
  outages.stop();
  relay.stop();
  await journal.release();
};

/** Without an answer of the relay it is unknown whether the question arrived. Resuming it submits it only once. */
function describeFailure(failure: Failure, id: string | undefined, closed?: boolean | 'failed'): Failure {
  if (closed === true) return failure.with('The question was closed: a later decision has no effect.');
  const isOpen = ['unreachable', 'interrupted', 'terminated'].includes(failure.outcome);
  if (id === undefined || !isOpen) {
    return closed ? failure.with('The question could not be closed: the relay shows it as open.') : failure;
  }
  const next = `It is not known whether the question arrived. Continue with it; it is never asked twice: relay ask --resume ${id}`;
  return failure.with(next, { id });
}

const readFiles = (paths: readonly string[] = []) =>
  paths.length > 0 ? paths.map((path) => readFileToSend(path)) : undefined;

/** Continues a stored conversation. A further text is sent first. */
export async function resumeConversation(
  context: Context,
  plan: AskPlan,
  name: string,
): Promise<ActiveConversation> {
  const { acceptsUnprotected } = plan;
  const { conversations, connect, outages } = openAgent(context, { instead, acceptsUnprotected });
  const { signal } = context;
  const stored = await conversations.find(name);
  if (!stored) throw notStored(name);
  const text = plan.words[0] === undefined ? undefined : await readTextArgument(context, plan.words[0]);
  const form = await readQuestionForm(context, plan.asksFor);
  const files = readFiles(plan.attach);
  const journal = new Journal(conversations);
  const relay = connect(journal);
  const end = endOf(relay, outages, journal);
  let conversation: Conversation | undefined;
  try {
    const { id, request } = stored.state;
    await journal.lock(id, request?.refCode);
    conversation = await warnWhenSlow(context.err, outages, relay.resume(id, { signal }));
    const started = { conversation, journal, outages, end };
    if (text !== undefined || plan.again) {
      const sending = { conversation, journal, now: context.now, signal };
      const sent = sendText(sending, { text, form, files, again: plan.again });
      await warnWhenSlow(context.err, outages, sent);
    }
    return started;
  } catch (error) {
    await end();
    if (text === undefined && !plan.again) throw error;
    throw describeUnsentText(explainError(error, signal), conversation, text);
  }
}

/** Before it is encrypted, a text is dropped with its command; after that the relay may have it, and a later command sends the same bytes. */
function describeUnsentText(failure: Failure, conversation?: Conversation, text?: string): Failure {
  const kept =
    conversation && isUnsent(conversation, text)
      ? `${describeUnsent(conversation)} Continue: relay ask --resume ${conversation.refCode}`
      : 'Your text was not sent, and is not kept.';
  return failure.with(kept);
}
