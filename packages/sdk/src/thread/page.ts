import { RelayError } from '../relay-error.ts';
import { hasEnded, type RequestNotes, type RequestState } from '../request-state.ts';
import type { Api } from '../transport/api.ts';
import { requestNotes, requestState, time } from '../transport/requests.ts';
import {
  count,
  isObject,
  list,
  type Members,
  members,
  optionalText,
  unexpected,
} from '../transport/shape.ts';

/** A request as the relay lists it, without its messages. */
export interface Head extends RequestState, RequestNotes {
  /** The question with its context, not checked yet: only the expert reads it. */
  readonly asked: Members;
  /** The name of the agent's key, as the relay states it. Absent once the content was erased. */
  readonly agent?: string | undefined;
  /** The id of that key. */
  readonly agentKeyId?: string | undefined;
  /** PEM, not checked yet. */
  readonly consumerKeys: Pair | undefined;
  readonly providerKeys: Pair | undefined;
  readonly keySignature: string | undefined;
  /** What the agent has written since the last answer, not checked yet. Only in lists, and if it is short. */
  readonly newestMessage?: Members | undefined;
  /** When the content of an ended request was erased. Then it has no keys and no messages. */
  readonly erasedAt: string | undefined;
}

export interface Pair {
  readonly sign: string;
  readonly encrypt: string;
}

/** A message as the relay lists it. `record` is not checked yet. */
export interface Listed {
  readonly seq: number;
  readonly createdAt: string;
  readonly record: Members;
}

/** One page of a conversation. */
export interface Page {
  readonly head: Head;
  readonly messages: readonly Listed[];
  /** The `seq` after which the next page begins; undefined on the last page. */
  readonly next: number | undefined;
}

/** Which page is asked for. */
interface Wanted {
  readonly requestId: string;
  readonly after: number;
  /** Sessions get the question with the first page only; later pages take it from here. */
  readonly head: Head | undefined;
}

/** Messages per call. Relays end a page before it is too large; for those that do not, the size is reduced. */
const pageSize = 1_000;
/** Such a page is never too large: each message, and the rest of the answer, take at most 1 MiB. */
const smallPageSize = 6;

/** Reads the list to its end. */
export async function* readPages(
  api: Api,
  from: Wanted,
  signal: AbortSignal | undefined,
): AsyncGenerator<Page> {
  const { requestId } = from;
  let wanted = from;
  let limit = pageSize;
  for (;;) {
    const path = `/api/v1/messages/${requestId}?after=${wanted.after}&limit=${limit}`;
    try {
      const page = await api.get(path, (answer) => readPage(answer, wanted), signal);
      yield page;
      if (page.next === undefined) return;
      wanted = { requestId, after: page.next, head: page.head };
    } catch (error) {
      if (limit <= smallPageSize || !RelayError.is(error, 'answer_too_large')) throw error;
      limit >>= 2;
    }
  }
}

function readPage(answer: unknown, { requestId, after, head: known }: Wanted): Page {
  const body = members(answer);
  const head = readHead(body, known);
  if (head.requestId !== requestId) unexpected('the request that was asked for');
  if (head.erasedAt !== undefined) return { head, messages: [], next: undefined };
  const messages = list(body, 'messages', (record) => ({
    seq: count(record, 'seq'),
    createdAt: time(record, 'createdAt'),
    record,
  }));
  messages.sort((one, other) => one.seq - other.seq);
  const next = body.next === undefined ? undefined : count(body, 'next');
  const last = messages.at(-1)?.seq ?? after;
  if (next !== undefined && (next <= after || next !== last)) unexpected('a valid `next`');
  return { head, messages, next };
}

export function readHead(body: Members, known?: Head): Head {
  const state = requestState(body);
  const { question, context, plaintext, agentName, agentVersions, answerForm, agent } = body;
  const asked = { question, context, plaintext, agentName, agentVersions, answerForm };
  // The content of an open conversation is never erased: there the member is ignored, and missing keys are refused.
  const isErased = hasEnded(state) && optionalText(body, 'erasedAt') !== undefined;
  return {
    ...state,
    ...requestNotes(body),
    asked: question === undefined && known ? known.asked : asked,
    agent: isObject(agent) && !isErased ? optionalText(agent, 'name') : undefined,
    agentKeyId: isObject(agent) ? optionalText(agent, 'keyId') : undefined,
    consumerKeys: pair(body, 'consumer'),
    providerKeys: pair(body, 'provider'),
    keySignature: optionalText(body, 'keySignature'),
    newestMessage: isObject(body.newestMessage) ? body.newestMessage : undefined,
    erasedAt: isErased ? time(body, 'erasedAt') : undefined,
  };
}

function pair(body: Members, side: 'consumer' | 'provider'): Pair | undefined {
  const sign = optionalText(body, `${side}SignPubKey`);
  const encrypt = optionalText(body, `${side}EncryptPubKey`);
  if (sign !== undefined && encrypt !== undefined) return { sign, encrypt };
  if (sign !== encrypt) unexpected(`both keys of the ${side}, or none`);
  return undefined;
}
