import type { ExpertMessage } from '@expert-relay/sdk/expert';
import type { PendingAnswer, RequestView } from './conversation-state.ts';

/** What one side wrote without the other one in between. */
export interface MessageGroup {
  readonly kind: 'messages';
  readonly key: string;
  readonly role: 'consumer' | 'provider';
  readonly messages: readonly ExpertMessage[];
}

/** A change of the request's state. */
export interface StateLine {
  readonly kind: 'line';
  readonly key: string;
  readonly text: string;
  readonly at?: string | undefined;
}

export type ExchangeItem = MessageGroup | StateLine;

/** Further messages of a sender are one group unless they come that much later. */
const togetherMs = 10 * 60_000;
/** The browser lays out whole groups: those far from the screen not at all. */
const mostTogether = 25;

/** The newest messages, oldest first, grouped by sender, and the changes of state between them. */
export function groupMessages(
  request: RequestView,
  messages: readonly ExpertMessage[],
  { from, isEndedHere }: { from: number; isEndedHere: boolean },
): readonly ExchangeItem[] {
  const items: ExchangeItem[] = [];
  let group: ExpertMessage[] = [];
  let isAnswered = messages.slice(0, from).some(({ role }) => role === 'provider');
  let isPickedUp = !request.isPickedUp || from > 0;

  const finish = () => {
    const [first] = group;
    if (first) items.push({ kind: 'messages', key: first.messageId, role: first.role, messages: group });
    group = [];
  };
  const line = (key: string, text: string, at?: string) => {
    finish();
    items.push({ kind: 'line', key, text, ...(at !== undefined && { at }) });
  };

  for (const message of messages.slice(from)) {
    // The keys were exchanged before the first message that is encrypted.
    if (!isPickedUp && message.protection !== 'plaintext') {
      line('picked-up', 'Picked up');
      isPickedUp = true;
    }
    const last = group.at(-1);
    const isTogether =
      last?.role === message.role &&
      group.length < mostTogether &&
      Date.parse(message.createdAt) - Date.parse(last.createdAt) < togetherMs;
    if (!isTogether) finish();
    group.push(message);
    if (message.role === 'provider' && !isAnswered) {
      isAnswered = true;
      line('answered', 'Answered', message.createdAt);
    }
  }
  finish();
  if (!isPickedUp) line('picked-up', 'Picked up');
  if (request.status === 'closed') line('ended', isEndedHere ? 'Ended by you' : 'Ended');
  if (request.status === 'expired') line('ended', 'Time is over', request.expiresAt);
  return items;
}

/** Whose turn it is, in words. */
export function describeState(
  request: RequestView,
  messages: readonly ExpertMessage[],
  answers: readonly PendingAnswer[],
): string {
  if (request.status === 'closed') return 'Ended';
  if (request.status === 'expired') return 'Time is over';
  if (answers.some(({ delivery }) => delivery === 'sent')) return 'Answered';
  const last = messages.at(-1)?.role;
  // Without the expert key the messages are not there.
  const isAnswered = last ? last === 'provider' : request.status === 'responded';
  return isAnswered ? 'Answered' : 'Waiting for you';
}
