import { hasEnded, type RequestState } from '../request-state.ts';
import { requestState, time } from '../transport/request-shape.ts';
import {
  count,
  isObject,
  list,
  type Members,
  members,
  optionalText,
  unexpected,
} from '../transport/shape.ts';

/** A request as its two sides see it, its messages apart. */
export interface Head extends RequestState {
  /** What was asked, not looked at: an agent knows it. */
  readonly asked: Members;
  /** The name of the agent's key, which only a session is given. */
  readonly agent?: string | undefined;
  /** PEM, not looked at yet. */
  readonly consumerKeys: Pair | undefined;
  readonly providerKeys: Pair | undefined;
  readonly keySignature: string | undefined;
  /** When the content of a request that had ended was erased: keys and messages are gone then, and must be. */
  readonly erasedAt: string | undefined;
}

export interface Pair {
  readonly sign: string;
  readonly encrypt: string;
}

/** A message as the relay lists it: of what matters, nothing is believed yet. */
export interface Listed {
  readonly seq: number;
  readonly createdAt: string;
  readonly record: Members;
}

/** A part of a conversation. */
export interface Page {
  readonly head: Head;
  readonly messages: readonly Listed[];
  /** Where the next part begins, unless this was the last. */
  readonly next: number | undefined;
}

/** A session gets the question with the first page alone: later ones have it from `known`. */
export function readPage(answer: unknown, known?: Head): Page {
  const body = members(answer);
  const head = readHead(body, known);
  if (head.erasedAt !== undefined) return { head, messages: [], next: undefined };
  const messages = list(body, 'messages', (record) => ({
    seq: count(record, 'seq'),
    createdAt: time(record, 'createdAt'),
    record,
  }));
  return {
    head,
    messages: messages.sort((one, other) => one.seq - other.seq),
    next: body.next === undefined ? undefined : count(body, 'next'),
  };
}

function readHead(body: Members, known: Head | undefined): Head {
  const state = requestState(body);
  const { question, context, plaintext, agent } = body;
  return {
    ...state,
    asked: question === undefined && known ? known.asked : { question, context, plaintext },
    agent: isObject(agent) ? optionalText(agent, 'name') : undefined,
    consumerKeys: pair(body, 'consumer'),
    providerKeys: pair(body, 'provider'),
    keySignature: optionalText(body, 'keySignature'),
    // An open conversation keeps its content: there it is a lie, and missing keys are noticed as such.
    erasedAt: hasEnded(state) && optionalText(body, 'erasedAt') ? time(body, 'erasedAt') : undefined,
  };
}

function pair(body: Members, side: 'consumer' | 'provider'): Pair | undefined {
  const sign = optionalText(body, `${side}SignPubKey`);
  const encrypt = optionalText(body, `${side}EncryptPubKey`);
  if (sign !== undefined && encrypt !== undefined) return { sign, encrypt };
  if (sign !== encrypt) unexpected(`both keys of the ${side}, or none`);
  return undefined;
}
