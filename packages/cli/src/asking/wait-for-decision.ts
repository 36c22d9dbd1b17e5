import type { Conversation } from '@expert-relay/sdk';
import type { Context } from '../context.ts';
import { showParts } from '../messages/message-parts.ts';
import { storedParts } from '../messages/stored-parts.ts';
import { answerEntry, decisionEntry, type Journal } from '../relay/journal.ts';
import { type DecisionEntry, type Entry, isDecision } from '../store/conversations.ts';
import { describeTrust } from '../terminal/protection-words.ts';
import { describeEnd } from './describe-end.ts';
import { answersToJson } from './show-answers.ts';
import { watchPickUp } from './wait-for-answers.ts';

export interface AwaitedDecision {
  readonly entry: DecisionEntry;
  /** What the expert wrote besides, which is no decision. */
  readonly replies: readonly Entry[];
}

interface Waiting {
  readonly conversation: Conversation;
  readonly journal: Journal;
  readonly timeout: number;
  /** How old an accept may be, in milliseconds. */
  readonly validFor?: number | undefined;
  /** Whether the conversation is closed if there is no decision. */
  readonly isWithdrawn?: boolean;
}

/**
 * Waits for a decision about the open form. Replies in words are printed to stderr, and waiting goes on.
 * @throws Failure that says how to continue
 */
export async function waitForDecision(context: Context, waiting: Waiting): Promise<AwaitedDecision> {
  const { conversation, journal, timeout, validFor, isWithdrawn = false } = waiting;
  const { id } = conversation;
  const replies: Entry[] = [];
  const showReplies = () => {
    const news = journal.undelivered(id).filter((one) => !isDecision(one));
    if (news.length === 0) return;
    for (const reply of news) showReply(context, conversation, reply);
    replies.push(...news);
    journal.markDelivered(id, news);
  };
  const stopWatching = watchPickUp(context, conversation);
  try {
    showReplies();
    const stored = journal.undelivered(id).find(isDecision);
    // The SDK has the age of a decision, and returns the same one again.
    if (stored && validFor === undefined) return { entry: stored, replies };
    const decision = await conversation.waitForDecision({
      timeout,
      validFor,
      signal: context.signal,
      onReply(answer) {
        journal.add(conversation, answerEntry(answer));
        showReplies();
      },
    });
    const entry = decisionEntry(decision);
    journal.add(conversation, entry);
    return { entry, replies };
  } catch (error) {
    const ending = { conversation, timeout, awaited: 'decision', isWithdrawn } as const;
    throw describeEnd(context, { ...ending, details: { answers: answersToJson(replies) } }, error);
  } finally {
    stopWatching();
  }
}

function showReply({ err }: Context, conversation: Conversation, reply: Entry): void {
  err.line();
  err.paragraph(`Your expert writes, and has not decided. ${describeTrust(reply.protection, conversation)}`, {
    style: 'dim',
  });
  if (reply.text !== '') err.foreign(reply.text, { indent: '  ' });
  showParts(err, storedParts(reply));
}
