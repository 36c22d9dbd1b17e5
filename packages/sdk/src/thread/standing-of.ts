import { decide, type GivenAnswer, type Standing } from '../forms/decide.ts';
import type { ReadMessage } from './message.ts';
import type { OpenForm, Side } from './side.ts';

/** A message with an answer to a form. */
export interface GivenMessage
  extends Pick<ReadMessage, 'messageId' | 'hash' | 'protection'>,
    Pick<GivenAnswer, 'json' | 'isUncertain'> {}

/** What a conversation has of its open form. */
export interface AnsweredForm {
  readonly form: OpenForm;
  readonly side: Side;
  /** The answers to this form, in the order of the list. */
  readonly answers: readonly GivenMessage[];
  /** Whether the agent has written something at the same time as the message with this hash. */
  readonly isCrossed: (hash: string) => boolean;
}

/** What the answers to a form amount to, on either side. */
export function standingOf(
  { form, side, answers, isCrossed }: AnsweredForm,
  isRefused?: (messageId: string) => boolean,
): Standing {
  const given = answers.map(
    ({ messageId, hash, protection, json, isUncertain }): GivenAnswer => ({
      messageId,
      json,
      isUncertain,
      isProven: side.agentSentKeys ? protection === 'sequenced' && side.isSigned : protection === 'plaintext',
      // Plain text does not say what it had seen.
      isCrossed: hash !== undefined && isCrossed(hash),
    }),
  );
  return decide(form.text, given, isRefused);
}
