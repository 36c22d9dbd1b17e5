import { RelayError, type RelayErrorCode, type RelayErrorReason } from '@expert-relay/sdk';

/** The reasons where the expert can do something else than the code says. */
const reasons = [
  'keys_changed',
  'malformed_frame',
  'rate_limited',
  'unexpected_answer',
  'answer_too_large',
  'conversation_full',
] as const satisfies readonly RelayErrorReason[];

/** Error codes that the SDK throws only for agents. */
const agentsCodes = [
  'new_expert',
  'withdrawn',
  'once_reused',
  'answer_conflict',
  'decision_too_old',
] as const satisfies readonly RelayErrorCode[];
type AgentsCode = (typeof agentsCodes)[number];

/** Why something failed: a code of the SDK, or one of the reasons. Each has a sentence. */
export type FailureCode = Exclude<RelayErrorCode, AgentsCode> | (typeof reasons)[number];

const isAgents = (code: RelayErrorCode): code is AgentsCode => agentsCodes.some((known) => known === code);

export function codeOf(error: unknown): FailureCode {
  return error instanceof RelayError ? codeIn(error) : 'unexpected_answer';
}

interface Failed {
  readonly code: RelayErrorCode;
  readonly reason?: RelayErrorReason | undefined;
}

/** Of an error, or of an answer that the relay refused. */
export const codeIn = ({ code, reason }: Failed): FailureCode =>
  reasons.find((known) => known === reason) ?? (isAgents(code) ? 'unexpected_answer' : code);
