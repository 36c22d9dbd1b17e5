import { RelayError, type RelayErrorName } from '../relay-error.ts';
import { checkContent } from './check-content.ts';
import { parseForm } from './check-form.ts';
import type { Content, Form } from './form.ts';
import { type FormAnswer, parseFormAnswer } from './form-answer.ts';

/** A message of the expert that answers a form, and what its reader knows about it. */
export interface GivenAnswer {
  readonly messageId: string;
  /** JSON text. */
  readonly json: string;
  /**
   * Whether the relay cannot have written it: it is sequenced, under signed keys. In a conversation that the agent began
   * without keys, plain text is all there is, and counts.
   */
  readonly isProven: boolean;
  /** Whether the agent has written something that it had not seen, and that had not seen it either. */
  readonly isCrossed: boolean;
  /** Whether it carries a part that this version cannot show and that could change what it means. A note could not. */
  readonly isUncertain: boolean;
}

/**
 * - `open`: there is no answer that counts;
 * - `reopened`: the agent wrote at the same time as the expert, who must decide again;
 * - `accepted`, `declined`: decided;
 * - `conflict`: accepted with different contents, so none of them counts. A decline ends it.
 */
export type DecisionState = 'open' | 'reopened' | 'accepted' | 'declined' | 'conflict';

export interface CountedAnswer {
  readonly messageId: string;
  readonly answer: FormAnswer;
}

export interface Standing {
  readonly state: DecisionState;
  /** The answer that decides, if one does and the agent's program was given none before. */
  readonly decided?: CountedAnswer | undefined;
  /** All that count, in the order of the list, without those that are equal to the one before. */
  readonly counted: readonly CountedAnswer[];
  /** The messages that would count if their content was valid. */
  readonly invalid: readonly string[];
}

/**
 * What the answers to a form, in the order of the list, amount to. Both sides compute it, so that the expert sees what the
 * agent gets. `isRefused` says whether the agent's program does not take a content that is valid for the form.
 */
export function decide(
  formJson: string,
  answers: readonly GivenAnswer[],
  isRefused: (messageId: string) => boolean = () => false,
): Standing {
  const form = readForm(formJson);
  const proven = answers.filter(({ isProven, isUncertain }) => isProven && !isUncertain);
  const read = proven.map(({ messageId, json, isCrossed }) => {
    const answer = readAnswer(json);
    const isValid = answer !== undefined && fitsForm(form, answer) && !isRefused(messageId);
    return { messageId, answer, isCrossed, isValid };
  });
  const counting = read.filter(({ isCrossed }) => !isCrossed);
  const invalid = counting.filter(({ isValid }) => !isValid).map(({ messageId }) => messageId);
  const valid = counting.flatMap(({ messageId, answer, isValid }) =>
    answer && isValid ? [{ messageId, answer }] : [],
  );
  const counted = valid.filter((one, at) => at === 0 || normalized(one) !== normalized(valid[at - 1]));
  const found = { counted, invalid };
  const decline = valid.find(({ answer }) => answer.action === 'decline');
  if (decline) return { state: 'declined', decided: decline, ...found };
  const [first] = valid;
  if (!first) {
    const isReopened = read.some(({ isCrossed, isValid }) => isCrossed && isValid);
    return { state: isReopened ? 'reopened' : 'open', ...found };
  }
  return counted.length > 1
    ? { state: 'conflict', ...found }
    : { state: 'accepted', decided: first, ...found };
}

/** Undefined when the form cannot be shown: then it can only be declined. */
export function readForm(json: string): Form | undefined {
  return unless('invalid_form', () => parseForm(json));
}

/** Undefined when the answer cannot be read. */
export function readAnswer(json: string): FormAnswer | undefined {
  return unless('answer_invalid', () => parseFormAnswer(json));
}

function unless<T>(name: RelayErrorName, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (RelayError.is(error, name)) return undefined;
    throw error;
  }
}

/** Whether an answer is valid for the form. Undefined: one that cannot be shown, which can only be declined. */
export const fitsForm = (form: Form | undefined, answer: FormAnswer): boolean =>
  answer.action === 'decline' || (form !== undefined && checkContent(form, answer.content).length === 0);

/** Equal for decisions that are equal as JSON: the order of the fields does not matter. */
function normalized(one: CountedAnswer | undefined): string {
  const content: Content = one?.answer.action === 'accept' ? one.answer.content : {};
  const fields = Object.entries(content).sort(([name], [other]) => (name < other ? -1 : 1));
  return JSON.stringify([one?.answer.action, ...fields]);
}
