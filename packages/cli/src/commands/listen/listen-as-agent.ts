import { setTimeout as pause } from 'node:timers/promises';
import type { Conversation } from '@expert-relay/sdk';
import { hasEnded } from '@expert-relay/sdk/internal';
import type { Context } from '../../context.ts';
import type { Outcome } from '../../exit-codes.ts';
import { explainError } from '../../explain-error.ts';
import { Failure, isClosedPipe } from '../../failure.ts';
import { storedParts } from '../../messages/stored-parts.ts';
import { notStored, openAgent } from '../../relay/open-agent.ts';
import type { StoredConversation } from '../../store/conversations.ts';
import { answerEntry, Journal } from '../../store/journal.ts';
import { describeTrust } from '../../terminal/protection-words.ts';
import { showNews } from './show-news.ts';

/** Before a question is sent again that the relay did not accept. */
const defaultPauseMs = 15_000;
const maxPauseMs = 60_000;

export interface AgentListening {
  /** Only this conversation. */
  refCode: string | undefined;
  json: boolean;
  acceptsUnprotected: boolean;
}

/** Shows answers in the conversations of this machine, as they come. */
export async function listenAsAgent(
  context: Context,
  { refCode, json, acceptsUnprotected }: AgentListening,
): Promise<Outcome> {
  const { conversations, connect, outages } = openAgent(context, { acceptsUnprotected });
  const { err, signal, now } = context;
  const report = (error: unknown) => err.paragraph(explainError(error, signal).message, { style: 'yellow' });
  const stored =
    refCode === undefined
      ? (await conversations.all(report)).filter((one) => isOpen(one, now()))
      : [(await conversations.find(refCode)) ?? []].flat();
  if (stored.length === 0) {
    if (refCode !== undefined) throw notStored(refCode);
    throw new Failure('unknown', 'This machine keeps no open conversation. Begin one: relay ask "..."');
  }
  const journal = new Journal(conversations);
  const relay = connect(journal);
  const stop = () => relay.stop();
  signal.addEventListener('abort', stop, { once: true });
  const names = stored.map(({ state }) => state.request?.refCode ?? state.id).join(', ');
  err.paragraph(`Listening for answers in ${names}. Ctrl-C ends it, and loses nothing.\n`, { style: 'dim' });

  /** Resuming also sends a question that has not arrived yet. It is repeated while the relay cannot be reached. */
  async function resume({ state: { id, request } }: StoredConversation): Promise<Conversation> {
    await journal.lock(id, request?.refCode);
    for (;;) {
      try {
        return await relay.resume(id, { signal });
      } catch (error) {
        if (explainError(error, signal).outcome !== 'unreachable') throw error;
        // The call fails at once where the relay asks to wait longer than commands repeat a call.
        const { retryAfterMs = defaultPauseMs } = error as { retryAfterMs?: number | undefined };
        await pause(Math.min(retryAfterMs, maxPauseMs), undefined, { signal });
      }
    }
  }

  async function follow(
    { state: { id, request } }: StoredConversation,
    resuming: Promise<Conversation>,
  ): Promise<Outcome> {
    const name = request?.refCode ?? id;
    try {
      const conversation = await resuming;
      await deliver(context, { conversation, journal, json });
      for await (const answer of conversation) {
        await journal.add(conversation.id, answerEntry(answer));
        await deliver(context, { conversation, journal, json });
      }
      const { requestId, status, closedBy, closeReason } = conversation;
      const ended = { refCode: name, requestId, status, closedBy, closeReason };
      showNews(context, { type: 'ended', ...ended }, json);
      return 'done';
    } catch (error) {
      const failure = explainError(error, signal);
      // Another conversation may have been refused.
      if (isClosedPipe(failure)) return 'done';
      const { outcome, code, reason, message } = failure;
      if (!signal.aborted)
        showNews(context, { type: 'refused', refCode: name, requestId: '', code, reason, message }, json);
      return outcome;
    }
  }
  try {
    // All are resumed before waiting: then one list shows which have new messages.
    const resuming = stored.map(resume);
    for (const one of resuming) one.catch(() => {});
    const known = resuming.filter((_, index) => stored[index]?.state.request !== undefined);
    await Promise.allSettled(known);
    const outcomes = await Promise.all(
      stored.map((one, index) => follow(one, resuming[index] as Promise<Conversation>)),
    );
    if (!isClosedPipe(signal.reason)) signal.throwIfAborted();
    return outcomes.find((outcome) => outcome !== 'done') ?? 'done';
  } finally {
    signal.removeEventListener('abort', stop);
    outages.stop();
    relay.stop();
    await journal.release();
  }
}

interface Delivery {
  conversation: Conversation;
  journal: Journal;
  json: boolean;
}

async function deliver(context: Context, { conversation, journal, json }: Delivery): Promise<void> {
  const { refCode, requestId, id } = conversation;
  const answers = journal.undelivered(id);
  for (const entry of answers) {
    const { messageId = '', text, createdAt, protection, seenYourLast } = entry;
    const about = { refCode, requestId, messageId, createdAt, protection, seenYourLast };
    showNews(context, { type: 'answer', ...about, text, ...storedParts(entry) }, json);
    if (!json) context.err.paragraph(describeTrust(protection, conversation), { indent: '  ', style: 'dim' });
  }
  if (answers.length === 0) return;
  if (await context.out.written()) await journal.markDelivered(id, answers);
}

/** A conversation whose question may not have arrived counts as open: resuming it sends the question. */
function isOpen({ state: { request } }: StoredConversation, now: number): boolean {
  if (!request) return true;
  return !hasEnded(request) && Date.parse(request.expiresAt) > now;
}
