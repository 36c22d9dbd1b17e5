import type { Conversation } from '@expert-relay/sdk';
import type { Context } from '../context.ts';
import { showParts } from '../messages/message-parts.ts';
import { storedParts } from '../messages/stored-parts.ts';
import { type DecisionEntry, type Entry, isDecision, openForm } from '../store/conversations.ts';
import { answerEntry, decisionEntry } from '../store/journal.ts';
import { describeTrust } from '../terminal/protection-words.ts';
import { describeEnd } from './describe-end.ts';
import { answersToJson } from './show-answers.ts';
import { type Waiting, watchPickUp } from './wait-for-answers.ts';

export interface AwaitedDecision {
  readonly entry: DecisionEntry;
  /** What the expert wrote besides, which is no decision. */
  readonly replies: readonly Entry[];
}

interface WaitingForDecision extends Waiting {
  /** How old an accept may be, in milliseconds. */
  readonly validForMs?: number | undefined;
  /** Whether the request is closed if there is no decision. */
  readonly closesAtEnd?: boolean;
}

/**
 * Waits for a decision about the open form. Replies in words are printed to stderr, and waiting goes on.
 * @throws Failure that says how to continue
 */
export async function waitForDecision(
  context: Context,
  waiting: WaitingForDecision,
): Promise<AwaitedDecision> {
  const { conversation, journal, outages, timeoutMs, validForMs, closesAtEnd = false } = waiting;
  const { id } = conversation;
  const replies: Entry[] = [];
  const showReplies = async () => {
    const news = journal.undelivered(id).filter((one) => !isDecision(one));
    if (news.length === 0) return;
    const isDecided = openForm(journal.read(id)) === undefined;
    for (const reply of news) showReply(context, conversation, reply, isDecided);
    replies.push(...news);
    await journal.markDelivered(id, news);
  };
  const stopWatching = watchPickUp(context, conversation);
  try {
    await showReplies();
    const decision = await conversation.waitForDecision({
      timeoutMs,
      validForMs,
      signal: context.signal,
      async onReply(answer) {
        await journal.add(id, answerEntry(answer));
        await showReplies();
      },
    });
    const entry = decisionEntry(decision);
    await journal.add(id, entry);
    return { entry, replies };
  } catch (error) {
    const about = { conversation, timeoutMs, outage: outages.current, closesAtEnd };
    const details = { answers: answersToJson(replies) };
    throw describeEnd(context, { ...about, awaited: 'decision', details }, error);
  } finally {
    stopWatching();
  }
}

function showReply({ err }: Context, conversation: Conversation, reply: Entry, isDecided: boolean): void {
  const { uncountedAction } = reply;
  const isDecline = uncountedAction === 'decline';
  const [again, once] = isDecline ? ['declined', 'declined'] : ['accepted again', 'accepted'];
  err.line();
  if (uncountedAction !== undefined) {
    const sentence = isDecided
      ? `Your expert has later ${again}, which changes nothing: the first decision was returned.`
      : `Your expert has ${once}, which does not count.`;
    err.paragraph(sentence, { style: 'yellow' });
  }
  const what = uncountedAction === undefined ? 'Your expert writes, and has not decided. ' : '';
  err.paragraph(`${what}${describeTrust(reply.protection, conversation)}`, { style: 'dim' });
  if (reply.text !== '') err.foreign(reply.text, { indent: '  ' });
  showParts(err, storedParts(reply));
}
