import type { AgentKeysJson } from '../crypto/agent-keys.ts';
import type { ExchangeVerification } from '../crypto/key-exchange.ts';
import { invalidInput, notAsExported } from '../relay-error.ts';
import type { AskedRequest } from '../request-state.ts';
import type { SenderState } from '../thread/sending.ts';
import type { ThreadState } from '../thread/thread.ts';
import { isObject } from '../transport/shape.ts';
import type { SubmissionBody } from './submission.ts';

/**
 * How sure it is who answers:
 * - `none`: no expert has picked the request up with keys yet;
 * - `unverified`: the expert's client does not prove its keys;
 * - `first-contact`: an expert that was not known before. Compare the fingerprint to be sure;
 * - `known`: the expert whose fingerprint was given, remembered or verified.
 */
export type Verification = ExchangeVerification | 'none';

/**
 * A saved conversation, as plain JSON. It contains the private keys, so store it where only you can read it. Members
 * without a description are internal to the SDK.
 *
 * @example
 * await writeFile('conversation.json', JSON.stringify(conversation.export()), { mode: 0o600 });
 * const again = await relay.resume(JSON.parse(await readFile('conversation.json', 'utf8')));
 */
export interface ConversationState {
  readonly version: 2;
  /** Unique to this conversation. It exists before the question is sent. */
  readonly id: string;
  /** The name of the question, if it has one. */
  readonly once?: Named | undefined;
  /** Under what the store has filed what several processes must know: the relay's origin, and a digest of the API key. */
  readonly owner?: string | undefined;
  /** Undefined while it is unknown whether the relay has the question. `resume` then sends it, exactly once. */
  readonly request?: AskedRequest | undefined;
  /** The question, until the relay has answered. */
  readonly submission?: SubmissionBody | undefined;
  /** The digest of the question, base64, once the relay has given its code. */
  readonly submissionDigest?: string | undefined;
  /** The form of the question, as JSON text, once the relay has the question. */
  readonly answerForm?: string | undefined;
  /** The decision that was returned: the form, and the message that decided. */
  readonly decided?: { readonly of: string; readonly messageId: string } | undefined;
  /** Whether this agent has closed the question without a decision. */
  readonly withdrawn?: true | undefined;
  /** Whether the question is confidential. */
  readonly isConfidential?: boolean | undefined;
  /** Undefined for plain text. */
  readonly keys?: AgentKeysJson | undefined;
  readonly exchange?: AcceptedExchange | undefined;
  readonly thread?: ThreadState | undefined;
  readonly sender?: SenderState | undefined;
}

/** The name of a question (`once`). */
export interface Named {
  readonly name: string;
  /** Of the question with all that belongs to it. */
  readonly digest: string;
  readonly questionId?: string | undefined;
}

/** The expert's keys, once they were checked and accepted. */
export interface AcceptedExchange {
  readonly sign: string;
  readonly encrypt: string;
  readonly keySignature?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly verification: ExchangeVerification;
}

/** @throws RelayError `invalid_input` when `export()` did not return this. */
export function checkState(state: unknown): asserts state is ConversationState {
  checkVersion(state);
  if (!isState(state)) throw notAsExported();
}

/** @throws RelayError `invalid_input` when another version has saved this. */
export function checkVersion(state: unknown): void {
  if (isObject(state) && typeof state.id === 'string' && state.version !== 2)
    throw invalidInput('Another version of the SDK saved this: resume it there.');
}

export const isState = (state: unknown): state is ConversationState =>
  isObject(state) && typeof state.id === 'string' && (isObject(state.request) || isObject(state.submission));
