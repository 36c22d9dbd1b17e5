import { RelayError } from '../relay-error.ts';
import { isObject, parseJson } from '../transport/shape.ts';
import { isText } from './check-content.ts';
import { fits } from './check-form.ts';
import type { Content } from './form.ts';
import { isDateTime } from './formats.ts';

const maxBytes = 65_536;

interface AnyAnswer {
  /** When the expert decided, by the clock of the expert's device: a date-time. */
  readonly decidedAt: string;
  /** In conversations without encryption. Otherwise the text of the message is the comment. */
  readonly comment?: string | undefined;
}

/** An answer to a form, as the expert's client sent it. Whether its content is valid for the form is another question. */
export type FormAnswer =
  | (AnyAnswer & { readonly action: 'accept'; readonly content: Content })
  | (AnyAnswer & { readonly action: 'decline' });

/**
 * Reads an answer from JSON text.
 * @throws RelayError `answer_invalid`
 */
export function parseFormAnswer(json: string): FormAnswer {
  const answer = fits(json, maxBytes) ? parseJson(json) : undefined;
  if (!isFormAnswer(answer)) {
    throw unreadableAnswer();
  }
  return answer;
}

/** A member with an unknown name could change what the answer means, so it is refused. */
function isFormAnswer(answer: unknown): answer is FormAnswer {
  if (!isObject(answer)) return false;
  const { action, content, decidedAt, comment = '', ...others } = answer;
  const isDecision = action === 'accept' ? isContent(content) : action === 'decline' && content === undefined;
  const isDated = isText(decidedAt) && isDateTime(decidedAt);
  return isDecision && isDated && isText(comment) && Object.keys(others).length === 0;
}

const isContent = (content: unknown): boolean =>
  isObject(content) &&
  Object.values(content).every(
    (value) =>
      isText(value) ||
      typeof value === 'boolean' ||
      Number.isFinite(value) ||
      (Array.isArray(value) && value.every(isText)),
  );

export const unreadableAnswer = () =>
  new RelayError('answer_invalid', 'The answer to the form cannot be read: ask the expert to answer again.');
