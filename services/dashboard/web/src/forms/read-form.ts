import { type Form, type FormAnswer, parseForm, parseFormAnswer } from '@expert-relay/sdk/forms';

/** Undefined when it is not a form as this version knows them. */
export const readForm = (json: string): Form | undefined => orUndefined(() => parseForm(json));

/** Undefined when it is not an answer as this version knows them. */
export const readDecision = (json: string): FormAnswer | undefined =>
  orUndefined(() => parseFormAnswer(json));

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
