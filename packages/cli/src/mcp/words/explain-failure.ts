import type { Outcome } from '../../exit-codes.ts';
import { explainError, isNotAsked } from '../../explain-error.ts';
import { AskFailure } from '../desk/ask-failure.ts';

const nextSteps: Partial<Record<Outcome, string>> = {
  usage: 'Correct that, then call again.',
  refused:
    'Tell your user: RELAY_API_KEY in the settings of this MCP server must be a consumer key (hs_...) of this relay. The server must be started anew after that.',
  untrusted:
    'Do not rely on this conversation any more, and tell your user so: somebody between you and the expert may have changed it. To ask again, call ask_expert.',
  plaintext:
    'Do not take it for an answer. Tell your user: the answer came as plain text although the expert is known. They can ask the expert over another channel, or start this server with --accept-plaintext if the expert cannot encrypt.',
  unreachable: 'Nothing is lost. Wait a minute, then make the same call again.',
  unknown: 'Call conversation_status without a reference: it lists the conversations that are kept here.',
  state: 'If you cannot correct that yourself, tell your user.',
  closed: 'No message can be sent any more. If you still need help, call ask_expert.',
  expired: 'No message can be sent any more. If you still need help, call ask_expert.',
  failed: 'Tell your user if it happens again.',
};

/** An error as the text of a tool's answer: what went wrong, what to do about it, and its stable code. */
export function explainFailure(error: unknown, signal: AbortSignal): string {
  const isUncertain = error instanceof AskFailure;
  const failure = explainError(isUncertain ? error.cause : error, signal);
  const { outcome, code, message } = failure;
  const next =
    isUncertain && !['state', 'untrusted'].includes(outcome) && !isNotAsked(failure)
      ? `The question may have arrived all the same. Do not ask anew: call wait_for_answer with the reference ${error.id}, which goes on with the same question and never asks it twice.`
      : nextSteps[outcome];
  return [message, next && `Next: ${next}`, `Error code: ${code}`].filter(Boolean).join('\n');
}
