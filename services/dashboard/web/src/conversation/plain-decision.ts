import type { Deciding, DecisionState } from '@expert-relay/sdk/expert';
import { type Form, parseForm, parseFormAnswer } from '@expert-relay/sdk/forms';
import { describeDecision } from '../forms/describe-decision.ts';
import type { AnswerContent } from './answer-content.ts';

/* Forms and decisions for pages without cryptography: what the SDK does elsewhere. */

/** Names the form of a request. Its digest is not computed here, and not sent. */
export const formName = 'form';

/** Undefined when this version cannot show it. */
export const readForm = (json: string): Form | undefined => orUndefined(() => parseForm(json));

/** A decision in a message of the expert. */
export function readDecision(json: string): Pick<AnswerContent, 'answer' | 'unreadableAnswer'> {
  const answer = orUndefined(() => parseFormAnswer(json));
  return answer ? { answer: { ...answer, of: formName } } : { unreadableAnswer: true };
}

export function decisionOf({ answer }: Pick<AnswerContent, 'answer'>): DecisionState | undefined {
  return answer && (answer.action === 'accept' ? 'accepted' : 'declined');
}

/** A decision as JSON, beside a text that says the same. */
export function writeDecision(comment: string, deciding: Deciding, form: Form | undefined): object {
  const { action, content = {} } = deciding;
  const decided = action === 'accept' ? { action, content } : { action };
  const answer = { ...decided, decidedAt: new Date().toISOString(), ...(comment && { comment }) };
  const { title, fields } = describeDecision(answer, form);
  const lines = [`${title}.`, ...fields.map(({ label, value }) => `${label}: ${value}`), comment];
  return { plaintext: lines.filter(Boolean).join('\n'), answer: JSON.stringify(answer) };
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
