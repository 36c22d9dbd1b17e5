import type { Conversation, Ledger } from '../load/ledger.ts';
import type { Truth } from './read-truth.ts';

/** What the list of messages says of a conversation. */
export interface Listed {
  readonly providerSignPubKey?: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

/** Every word that a client was given, held against what is there: gives a sentence for each that was broken. */
export function judgeLedger(
  ledger: Ledger,
  truth: Truth,
  lists: ReadonlyMap<string, Listed | undefined>,
  made: number,
): string[] {
  const { conversations, unknownSubmits } = ledger;
  const acknowledged = conversations.length;
  const fits = made >= acknowledged && made <= acknowledged + unknownSubmits;
  const counted = fits
    ? []
    : [
        `${made} requests were made where ${acknowledged} were acknowledged and ${unknownSubmits} are unknown`,
      ];
  return [
    ...ledger.oddities,
    ...counted,
    ...conversations.flatMap((conversation) => judge(conversation, truth, lists.get(conversation.requestId))),
  ];
}

function judge(conversation: Conversation, truth: Truth, list: Listed | undefined): string[] {
  const { requestId, refCode, exchange, close } = conversation;
  const request = truth.get(requestId);
  if (!request) return [`${refCode} was acknowledged and is not there`];
  if (!list) return [`the messages of ${refCode} could not be read`];
  const broken: string[] = [];
  const check = (holds: boolean, what: string) => holds || broken.push(`${refCode}: ${what}`);
  const told = (type: string) => request.events.filter((event) => event.type === type).length;

  check(told('new_request') === 1, `${told('new_request')} events tell of its beginning`);
  check(request.events[0]?.type === 'new_request', 'its first event is not its beginning');
  check(request.events.at(-1)?.type === 'request_closed', 'its last event is not its end');
  if (exchange === 'acknowledged') {
    check(told('key_exchange') === 1, `${told('key_exchange')} events tell of its key exchange`);
    check(list.providerSignPubKey !== undefined, 'its key exchange was acknowledged and is not there');
  }
  if (close === 'acknowledged') check(request.status === 'closed', `it was closed and is ${request.status}`);
  if (close !== 'unknown' && close !== 'acknowledged')
    check(request.status === 'expired', `it was never closed and is ${request.status}`);
  return [...broken, ...judgeMessages(conversation, list, told('new_message'))];
}

/** The list holds what was acknowledged, as it was sent, and nothing that was refused. */
function judgeMessages({ refCode, messages }: Conversation, list: Listed, told: number): string[] {
  const broken: string[] = [];
  const listed = new Map(list.messages.map((message) => [message.messageId, message]));
  if (listed.size !== list.messages.length) broken.push(`${refCode}: a message is listed twice`);
  if (told !== listed.size) broken.push(`${refCode}: ${told} events tell of ${listed.size} messages`);
  for (const { messageId, body, standing } of messages) {
    const found = listed.get(messageId);
    listed.delete(messageId);
    if (found && standing === 'refused') broken.push(`${refCode}: a refused message is in the list`);
    if (!found && standing === 'acknowledged')
      broken.push(`${refCode}: an acknowledged message is not in the list`);
    const isWhole = Object.entries(body).every(
      ([name, value]) => JSON.stringify(found?.[name]) === JSON.stringify(value),
    );
    if (found && !isWhole) broken.push(`${refCode}: a message is not as it was sent`);
  }
  if (listed.size > 0) broken.push(`${refCode}: ${listed.size} messages were sent by nobody`);
  return broken;
}
