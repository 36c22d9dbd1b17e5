import type { Message, Party } from '@expert-relay/sdk';
import type { PendingAnswer, RequestView } from './conversation-state.ts';

/** Successive messages of one side. */
export interface MessageGroup {
  readonly kind: 'messages';
  readonly key: string;
  readonly from: Party;
  readonly messages: readonly Message[];
}

/** A change of the request's state. */
export interface StateLine {
  readonly kind: 'line';
  readonly key: string;
  readonly text: string;
  readonly at?: string | undefined;
  /** What the side that ended the conversation gave as its reason. */
  readonly reason?: string | undefined;
}

export type ExchangeItem = MessageGroup | StateLine;

/** Successive messages of a sender form one group unless this much time is between them. */
const groupGapMs = 10 * 60_000;
/** The browser skips the layout of groups far from the screen, so groups must be small. */
const maxGroupLength = 25;

/** The newest messages, oldest first, grouped by sender, and the changes of state between them. */
export function groupMessages(
  request: RequestView,
  messages: readonly Message[],
  { start }: { start: number },
): readonly ExchangeItem[] {
  const items: ExchangeItem[] = [];
  let group: Message[] = [];
  let isAnswered = messages.slice(0, start).some(({ from }) => from === 'expert');

  const finish = () => {
    const [first] = group;
    if (first) items.push({ kind: 'messages', key: first.messageId, from: first.from, messages: group });
    group = [];
  };
  const line = (key: string, text: string, at?: string, reason?: string) => {
    finish();
    items.push({ kind: 'line', key, text, at, reason });
  };

  for (const message of messages.slice(start)) {
    const last = group.at(-1);
    const isTogether =
      last?.from === message.from &&
      group.length < maxGroupLength &&
      Date.parse(message.createdAt) - Date.parse(last.createdAt) < groupGapMs;
    if (!isTogether) finish();
    group.push(message);
    if (message.from === 'expert' && !isAnswered) {
      isAnswered = true;
      line('answered', 'Answered', message.createdAt);
    }
  }
  finish();
  if (request.status === 'closed') line('ended', describeEnd(request), undefined, request.closeReason);
  if (request.status === 'expired') line('ended', 'Expired', request.expiresAt);
  return items;
}

/** Nothing of it is signed, and the reason is not encrypted. */
function describeEnd({ closedBy, closeReason, encrypted }: RequestView): string {
  const by = closedBy && (closedBy === 'expert' ? ' by you' : ' by the agent');
  return `Ended${by ?? ''}${closeReason && encrypted ? ' (not encrypted)' : ''}`;
}

/** Says whose turn it is. */
export function describeState(
  request: RequestView,
  messages: readonly Message[],
  sent: readonly PendingAnswer[],
): string {
  if (request.status === 'closed') return 'Ended';
  if (request.status === 'expired') return 'Expired';
  if (sent.length > 0) return 'Answered';
  const last = messages.at(-1)?.from;
  // Without the expert key the messages cannot be counted.
  const isAnswered = last ? last === 'expert' : request.status === 'responded';
  return isAnswered ? 'Answered' : 'Waiting for you';
}
