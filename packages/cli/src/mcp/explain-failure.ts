import type { RelayErrorCode, RelayErrorReason } from '@expert-relay/sdk';
import type { Outcome } from '../exit-codes.ts';
import { explainError, isNotAsked, type SentencesOf } from '../explain-error.ts';
import { AskFailure } from './conversation-pool/conversation-pool.ts';

/** Errors of experts: no tool of an agent has them. */
type OfExperts = 'newer_message' | 'parts_missing' | 'no_keys_yet' | 'wrong_recovery_code' | 'unseen';
/** How commands end, and no tool does. */
type OfCommands =
  | 'done'
  | 'declined'
  | 'invalid'
  | 'stale'
  | 'decision_too_old'
  | 'unidentified'
  | 'interrupted'
  | 'terminated';
type Code = Exclude<RelayErrorCode | Outcome, OfExperts | OfCommands>;

const again = 'Nothing is lost. Wait a minute, then make the same call again.';
const ended = 'No message can be sent any more. If you still need help, call ask_expert.';
const odd =
  'Make the same call once more. If it fails again, tell your user: RELAY_URL in "env" of this MCP server may be wrong, or something on the way changes what the relay answers.';
const newKey =
  'Tell your user: RELAY_API_KEY in "env" of this MCP server must be an agent\'s key (hs_...) of this relay. The server must be restarted after that.';
const stop =
  'Do not rely on this conversation any more, and tell your user so: someone between you and the expert may have changed it. Ask again with ask_expert only if your user agrees.';
const whoIsIt =
  'Nothing of it is an answer. Tell your user the fingerprint. They must ask their expert over another channel whether it is theirs. If it is, they set RELAY_EXPERT in "env" of this MCP server to it and restart the server; then call wait_for_answer with the same reference. If it is not, do not ask again.';

/** What a model must do next, for each error that a tool can have. */
export const nextSteps = {
  invalid_input: 'Correct that, then call again.',
  invalid_form: 'Correct the form at the member that is named, then call again. Nothing was sent.',
  too_large: 'Shorten the text, or send it in several replies.',
  invalid_key: newKey,
  not_found:
    'Tell your user: the relay does not have this conversation, or it belongs to another RELAY_API_KEY than the one in "env" of this MCP server. Other conversations are listed by conversation_status without a reference.',
  conflict:
    'Do not make the same call again. If you gave an idempotency_key, ask under another one. If the conversation is full, continue with ask_expert.',
  once_reused: 'Ask under another one with ask_expert, or ask the same question again.',
  unavailable: again,
  unexpected_answer: odd,
  answer_too_large: odd,
  aborted: again,
  timeout: 'There is no answer yet: call wait_for_answer again.',
  unknown_expert: whoIsIt,
  new_expert: whoIsIt,
  unprotected:
    "Do not take it for an answer. Tell your user: nothing proves that it is the expert's, so it could be the relay's. They can ask the expert over another channel, or start this server with --accept-unprotected if the expert's program cannot encrypt, or is too old.",
  unsupported_version:
    "Nothing was sent. Tell your user: this MCP server and the expert's program need the same version of Expert Relay. If they have it, someone on the way has changed the keys.",
  answer_invalid:
    'Do not take it for an answer: it does not fit your form. Ask the expert with reply to decide again, then call wait_for_answer.',
  answer_conflict:
    'Do not take any of them for an answer: the expert has given different ones. Ask them to decide again with reply and form_again: true, then call wait_for_answer.',
  withdrawn: ended,
  usage: 'Correct that, then call again.',
  refused: newKey,
  unreachable: again,
  untrusted: stop,
  plaintext: stop,
  unknown: 'Call conversation_status without a reference: it lists the conversations that are kept here.',
  state: 'If you cannot correct that yourself, tell your user. Then make the same call again.',
  closed: ended,
  expired: ended,
  failed: 'Tell your user if it happens again.',
} as const satisfies Record<Code, string> & Partial<Record<RelayErrorReason, string>>;

/** The SDK advises programmers. A model has neither its options nor the commands of a terminal. */
const whatHappened: SentencesOf = {
  unsequenced_refused: () =>
    'A message does not say which messages came before it, so some may be missing. It is not shown.',
  new_expert: (message) => message.replace(/ Compare this fingerprint .*$/, ''),
  unknown_expert: (message) => message.replace(/ Ask the expert over another channel .*$/, ''),
};

const uncertain = (id: string) =>
  `The question may still have arrived. Do not ask it again: call wait_for_answer with the reference ${id}, which continues with the same question and never asks it twice.`;

const nextStep = (name = ''): string | undefined => (nextSteps as Readonly<Record<string, string>>)[name];

/** An error as the text of a tool's result: what went wrong, what to do, and the stable code. */
export function explainFailure(error: unknown, signal: AbortSignal): string {
  const isUncertain = error instanceof AskFailure;
  const failure = explainError(isUncertain ? error.cause : error, signal, whatHappened);
  const { outcome, code, reason, message } = failure;
  const isContinued = isUncertain && !['state', 'untrusted'].includes(outcome) && !isNotAsked(failure);
  const next = isContinued ? uncertain(error.id) : (nextStep(reason) ?? nextStep(code) ?? nextStep(outcome));
  return [message, next && `Next: ${next}`, `Error code: ${reason ? `${code} (${reason})` : code}`]
    .filter(Boolean)
    .join('\n');
}
