import type { Conversation } from '@expert-relay/sdk';
import type { Context } from '../context.ts';
import type { Outages } from '../relay/outages.ts';
import { takeAnswers } from '../relay/take-answers.ts';
import { type Entry, isEarly } from '../store/conversations.ts';
import { answerEntry, type Journal } from '../store/journal.ts';
import { describeEnd } from './describe-end.ts';

export interface Waiting {
  readonly conversation: Conversation;
  readonly journal: Journal;
  readonly outages: Outages;
  readonly timeoutMs: number;
}

interface WaitingForAnswers extends Waiting {
  /** Whether answers count that had not seen the last message. */
  readonly includeEarly: boolean;
}

/**
 * Waits for an answer to the last message, and also returns further answers that are there. Otherwise it throws a
 * Failure that says how to continue.
 */
export async function waitForAnswers(
  context: Context,
  waiting: WaitingForAnswers,
): Promise<readonly Entry[]> {
  const { conversation, journal, outages, timeoutMs, includeEarly } = waiting;
  const { signal, err, now } = context;
  const deadline = now() + timeoutMs;
  const answers = () => journal.deliverable(conversation.id, includeEarly);
  const stopWatching = watchPickUp(context, conversation);
  try {
    while (answers().length === 0) {
      const remaining = Math.max(0, deadline - now());
      const answer = await conversation.waitForAnswer({ timeoutMs: remaining, signal, includeEarly: true });
      await journal.add(conversation.id, answerEntry(answer));
      if (!includeEarly && isEarly(answer)) err.paragraph(describeEarly(waiting), { style: 'yellow' });
      if (!includeEarly && answer.isNote) err.paragraph(onlyNote, { style: 'yellow' });
    }
    // An expert may have answered twice. Errors while reading further answers do not affect those that were received.
    await takeAnswers(conversation, journal, signal);
    return answers();
  } catch (error) {
    const note = includeEarly ? '' : describeEarly(waiting);
    const about = { conversation, timeoutMs, outage: outages.current, note };
    throw describeEnd(context, { ...about, awaited: 'answer' }, error);
  } finally {
    stopWatching();
  }
}

/** Says that answers were skipped; empty when none was. */
function describeEarly({ conversation, journal }: Pick<Waiting, 'conversation' | 'journal'>): string {
  const { length } = journal.undelivered(conversation.id).filter(isEarly);
  if (length === 0) return '';
  return `Answers written before your last message was read: ${length}. They may not answer it. To see them: relay ask --resume ${conversation.refCode} --include-early`;
}

const onlyNote =
  'Your expert has sent a message that has nothing but a part that this version cannot show. It is no answer.';

const pollMs = 200;

/** Reports the pick-up, as the relay states it, and when the texts that waited for it were sent. */
export function watchPickUp({ err }: Context, conversation: Conversation): () => void {
  let [waits, picked] = [conversation.unsent.length > 0, conversation.isPickedUp];
  const watch = setInterval(() => {
    if (!picked && conversation.isPickedUp) {
      picked = true;
      // Not by whom: the keys are checked with the answer.
      err.paragraph('It was picked up.');
    }
    if (waits && conversation.unsent.length === 0) {
      waits = false;
      err.paragraph('What was not sent yet has been sent, encrypted.');
    }
  }, pollMs);
  return () => clearInterval(watch);
}
