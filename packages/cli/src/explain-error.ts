import {
  RelayError,
  type RelayErrorCode,
  type RelayErrorName,
  type RelayErrorReason,
} from '@expert-relay/sdk';
import type { Outcome } from './exit-codes.ts';
import { Failure } from './failure.ts';
import { describeTime } from './terminal/describe-duration.ts';

/** By the code, unless its reason has another outcome. */
const outcomes: Readonly<Record<RelayErrorCode, Outcome>> &
  Partial<Readonly<Record<RelayErrorReason, Outcome>>> = {
  invalid_input: 'usage',
  invalid_key: 'refused',
  not_found: 'unknown',
  conflict: 'failed',
  once_reused: 'usage',
  too_large: 'usage',
  unavailable: 'unreachable',
  unexpected_answer: 'failed',
  answer_too_large: 'failed',
  aborted: 'interrupted',
  timeout: 'timeout',
  closed: 'closed',
  expired: 'expired',
  withdrawn: 'closed',
  no_keys_yet: 'failed',
  newer_message: 'unseen',
  parts_missing: 'unseen',
  answer_invalid: 'invalid',
  answer_conflict: 'invalid',
  decision_too_old: 'stale',
  new_expert: 'untrusted',
  unprotected: 'untrusted',
  plaintext_refused: 'plaintext',
  unsupported_version: 'untrusted',
  untrusted: 'untrusted',
  wrong_recovery_code: 'usage',
};

const unprotected =
  'It is not shown. If your expert uses a client without this protocol, --accept-unprotected takes it: the relay could then have written or replaced it.';
const unsigned =
  "If your expert uses a client without this protocol, --accept-unprotected takes these keys, except for a confidential question and from an expert who is known: they could be the relay's.";

/** Sentences that replace or extend those of the SDK and the relay, for those who read them. */
export type SentencesOf = Partial<Record<RelayErrorName, (message: string, error: RelayError) => string>>;

/** Sentences for the terminal, which say what to type next. */
const inTheTerminal: SentencesOf = {
  no_keys_yet: () =>
    'This conversation is encrypted, and this machine has no keys. Bring them here: relay keys restore',
  answer_conflict: () =>
    'The expert has accepted with different values. None of them counts, before the expert declines or decides again.',
  not_found: () => 'There is no such request, or it is not yours. Yours are listed by: relay show',
  keys_changed: (message) =>
    `${message} Unless your own side did this, someone stands between the two sides: ask the other side over another channel, and start a new request.`,
  newer_message: () =>
    'Not sent: the agent has written something that you were not shown, or this is an old decision. Read it: relay show HS-... Then answer again, or add --even-if-newer.',
  parts_missing: (message) =>
    message.replace(', or answer `withoutParts`', ', or answer without them: --without-parts'),
  unprotected: (message) => `${message} ${unprotected}`,
  key_signature_missing: (message) => `${message} ${unsigned}`,
  new_expert: (message) =>
    `${message} Here this is RELAY_EXPERT: set it and resume the conversation. From then on this key knows the expert.`,
  rate_limited: (message, { retryAfterMs = 60_000 }) =>
    `${message} Try again after ${describeTime(Date.now() + retryAfterMs)}.`,
  invalid_key: (message) => `${message} Set RELAY_API_KEY again, or store a new one: relay login`,
  unknown_expert: (message) =>
    `${message} Then resume the conversation: from then on this key knows the new one.`,
};

/** An error in the JSON of a command. */
export const errorToJson = ({ code, reason, message }: RelayError | Failure) => ({ code, reason, message });

/** Whether the content must not be shown or trusted. */
export const isRefusal = ({ outcome }: Failure): boolean =>
  outcome === 'untrusted' || outcome === 'plaintext';

/** Whether it is certain that the relay has not accepted a question. */
export const isNotAsked = ({ outcome, code }: Failure): boolean =>
  outcome === 'usage' || outcome === 'refused' || code === 'conflict';

/** Turns every error into a Failure. After Ctrl-C, all errors count as caused by it. */
export function explainError(error: unknown, signal: AbortSignal, sentences = inTheTerminal): Failure {
  if (error instanceof Failure) return error;
  if (signal.aborted) return signal.reason;
  if (error instanceof RelayError) {
    const { code, reason, message, cause } = error;
    // The SDK wraps errors of this program's own files.
    if (cause instanceof Failure) return cause;
    const explain = (reason && sentences[reason]) ?? sentences[code];
    const hint = reason === 'unreachable' && { hint: 'See what is wrong: relay doctor' };
    return new Failure((reason && outcomes[reason]) ?? outcomes[code], explain?.(message, error) ?? message, {
      code,
      reason,
      cause: error,
      ...hint,
    });
  }
  const { message } = error instanceof Error ? error : new Error(String(error));
  return new Failure('failed', `Something unexpected happened: ${message}`, {
    hint: '`relay doctor` may find the reason.',
    cause: error,
  });
}
