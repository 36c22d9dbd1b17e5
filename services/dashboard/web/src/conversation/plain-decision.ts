import type { Deciding } from '@expert-relay/sdk/expert';
import {
  describeContent,
  type Form,
  type GivenAnswer,
  isApproval,
  readAnswer,
} from '@expert-relay/sdk/forms';
import type { Message } from '../generated/api.ts';
import type { AnswerContent } from './answer-content.ts';

/* Decisions for pages without cryptography, by the same functions as in the SDK. */

/** Names the form of a request. Its digest is not computed here, and not sent. */
export const formName = 'form';

/** A decision in a message of the expert. */
export function readDecision(json: string): Pick<AnswerContent, 'answer' | 'unreadableAnswer'> {
  const answer = readAnswer(json);
  return answer ? { answer: { ...answer, of: formName } } : { unreadableAnswer: true };
}

/** The expert's answer in a message, if there is one. Plain text does not say what it had seen, so no answer is crossed. */
export const answersIn = ({
  role,
  messageId,
  createdAt,
  answer: json,
}: Message): readonly (GivenAnswer & Pick<Message, 'createdAt'>)[] =>
  role === 'provider' && json
    ? [{ messageId, createdAt, json, isProven: true, isCrossed: false, isUncertain: false }]
    : [];

/** A decision as JSON, beside a text that says the same. The SDK writes it only together with its keys. */
export function writeDecision(comment: string, deciding: Deciding, form: Form | undefined): object {
  const { action, content = {} } = deciding;
  const decided = action === 'accept' ? { action, content } : { action };
  const answer = { ...decided, decidedAt: new Date().toISOString(), ...(comment && { comment }) };
  const fields = form && action === 'accept' ? describeContent(form, content) : [];
  const accepted = form && isApproval(form) ? 'Approved.' : 'Accepted.';
  const lines = [
    action === 'accept' ? accepted : 'Declined.',
    ...fields.map(({ label, value }) => `${label}: ${value}`),
    comment,
  ];
  return { plaintext: lines.filter(Boolean).join('\n'), answer: JSON.stringify(answer) };
}
