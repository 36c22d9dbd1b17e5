import type { Environment } from '../environment/environment.ts';
import { type ClientOptions, createClient } from '../load/client.ts';
import type { Conversation, Ledger } from '../load/ledger.ts';
import type { CommittedState } from './read-committed.ts';

/** A conversation as the list of messages returns it. */
export interface Listed {
  readonly providerSignPubKey?: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

/** Compares the responses that clients received with the committed state. Returns a sentence for each difference. */
export function checkLedger(
  ledger: Ledger,
  committed: CommittedState,
  lists: ReadonlyMap<string, Listed | undefined>,
  made: number,
): string[] {
  const { conversations, unknownSubmits } = ledger;
  const acknowledged = conversations.length;
  const isPlausible = made >= acknowledged && made <= acknowledged + unknownSubmits;
  const counted = isPlausible
    ? []
    : [
        `${made} requests were made where ${acknowledged} were acknowledged and ${unknownSubmits} are unknown`,
      ];
  return [
    ...ledger.unexpected,
    ...counted,
    ...conversations.flatMap((conversation) =>
      checkConversation(conversation, committed, lists.get(conversation.requestId)),
    ),
  ];
}

function checkConversation(
  conversation: Conversation,
  committed: CommittedState,
  list: Listed | undefined,
): string[] {
  const { requestId, refCode, exchange, close } = conversation;
  const request = committed.get(requestId);
  if (!request) return [`${refCode} was acknowledged and does not exist`];
  if (!list) return [`the messages of ${refCode} could not be read`];
  const failures: string[] = [];
  const check = (holds: boolean, what: string) => holds || failures.push(`${refCode}: ${what}`);
  const count = (type: string) => request.events.filter((event) => event.type === type).length;

  check(count('new_request') === 1, `${count('new_request')} events of its submit`);
  check(request.events[0]?.type === 'new_request', 'its first event is not new_request');
  check(request.events.at(-1)?.type === 'request_closed', 'its last event is not request_closed');
  if (exchange === 'acknowledged') {
    check(count('key_exchange') === 1, `${count('key_exchange')} events of its key exchange`);
    check(list.providerSignPubKey !== undefined, 'its key exchange was acknowledged and does not exist');
  }
  if (close === 'acknowledged') check(request.status === 'closed', `it was closed and is ${request.status}`);
  if (close !== 'unknown' && close !== 'acknowledged')
    check(request.status === 'expired', `it was never closed and is ${request.status}`);
  return [...failures, ...checkMessages(conversation, list, count('new_message'))];
}

/** Checks that the list contains every acknowledged message as it was sent, and no refused one. */
function checkMessages({ refCode, messages }: Conversation, list: Listed, eventCount: number): string[] {
  const failures: string[] = [];
  const listed = new Map(list.messages.map((message) => [message.messageId, message]));
  if (listed.size !== list.messages.length) failures.push(`${refCode}: a message is listed twice`);
  if (eventCount !== listed.size)
    failures.push(`${refCode}: ${eventCount} events for ${listed.size} messages`);
  for (const { messageId, body, outcome } of messages) {
    const found = listed.get(messageId);
    listed.delete(messageId);
    if (found && outcome === 'refused') failures.push(`${refCode}: a refused message is in the list`);
    if (!found && outcome === 'acknowledged')
      failures.push(`${refCode}: an acknowledged message is not in the list`);
    const isWhole = Object.entries(body).every(
      ([name, value]) => JSON.stringify(found?.[name]) === JSON.stringify(value),
    );
    if (found && !isWhole) failures.push(`${refCode}: a message differs from what was sent`);
  }
  if (listed.size > 0) failures.push(`${refCode}: ${listed.size} messages were never sent`);
  return failures;
}

const listsTimeoutMs = 30_000;
/** A chaos run makes thousands of conversations, and leaves a busy machine. */
const timeoutPerListMs = 100;

/** Reads the messages of each conversation, by request. */
export async function readLists(
  { gatewayUrl, user }: Pick<Environment, 'gatewayUrl' | 'user'>,
  { conversations }: Pick<Ledger, 'conversations'>,
  options: ClientOptions = {},
): Promise<ReadonlyMap<string, Listed | undefined>> {
  const timeoutMs = listsTimeoutMs + conversations.length * timeoutPerListMs;
  const client = createClient(gatewayUrl, AbortSignal.timeout(timeoutMs), options);
  const lists = new Map<string, Listed | undefined>();
  try {
    for (const { requestId } of conversations) {
      const path = `/api/v1/messages/${requestId}`;
      const headers = { 'x-api-key': user.providerKey };
      const response = await client.call({ method: 'GET', path, headers });
      lists.set(requestId, response?.status === 200 ? (response.json as Listed) : undefined);
    }
    return lists;
  } finally {
    client.close();
  }
}
