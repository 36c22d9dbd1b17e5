import type { AgentKeysJson } from '../crypto/index.ts';
import { invalidInput, notAsExported } from '../relay-error.ts';
import type { RequestStatus } from '../request-state.ts';
import type { SenderState } from '../thread/sender.ts';
import type { ThreadState } from '../thread/thread.ts';
import { isObject } from '../transport/shape.ts';
import type { Verification } from './conversation.ts';

/**
 * A conversation at rest: plain JSON. It holds the private keys, so keep it where only you can read it. What is
 * not described here is the SDK's own.
 *
 * @example
 * await writeFile('conversation.json', JSON.stringify(conversation.export()), { mode: 0o600 });
 * const again = await relay.resume(JSON.parse(await readFile('conversation.json', 'utf8')));
 */
export interface ConversationState {
  readonly version: 1;
  /** Of this conversation alone, from before the relay knew of it. */
  readonly id: string;
  /** Undefined while it is not known whether the question has arrived: `resume` makes sure that it does, once. */
  readonly request?: AskedRequest | undefined;
  /** What is asked, until the relay has answered. */
  readonly submission?: object | undefined;
  /** What stands for it in the key exchange, base64; undefined for plain text. */
  readonly submissionDigest?: string | undefined;
  /** Undefined for plain text. */
  readonly keys?: AgentKeysJson | undefined;
  readonly exchange?: AcceptedExchange | undefined;
  readonly thread?: ThreadState | undefined;
  readonly sender?: SenderState | undefined;
}

/** What is known of the request, as last seen. */
export interface AskedRequest {
  readonly requestId: string;
  readonly refCode: string;
  readonly status: RequestStatus;
  readonly expiresAt: string;
  readonly responseCount: number;
  readonly erasedAt?: string | undefined;
}

/** The expert's keys, once they were found in order. */
export interface AcceptedExchange {
  readonly sign: string;
  readonly encrypt: string;
  readonly keySignature?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly verification: Verification;
}

/** @throws RelayError `invalid_input` for what `export()` never gave. */
export function checkState(state: unknown): asserts state is ConversationState {
  const isOurs = isObject(state) && typeof state.id === 'string';
  if (isOurs && state.version !== 1) {
    throw invalidInput('Another version of the SDK saved this: resume it there.');
  }
  if (!isOurs || !(isObject(state.request) || isObject(state.submission))) throw notAsExported();
}
