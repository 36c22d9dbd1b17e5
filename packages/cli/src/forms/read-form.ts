import { isDeepStrictEqual } from 'node:util';
import { RelayError } from '@expert-relay/sdk';
import { type Form, toForm } from '@expert-relay/sdk/forms';
import { Failure } from '../failure.ts';

/** The form without fields: the expert approves or declines. */
export const approvalForm: Form = { type: 'object', properties: {} };

/** The field of the form that `--choice` makes. */
const choiceField = 'choice';

/** The form of `relay ask --choice eu --choice us`. */
export const choiceForm = (options: readonly string[]): Form =>
  checked('--choice', {
    type: 'object',
    properties: { [choiceField]: { type: 'string', enum: options } },
    required: [choiceField],
  });

/** Whether a form is one that `--choice` makes. */
export function isChoiceForm(form: Form): boolean {
  const { properties } = form;
  const field = Object.hasOwn(properties, choiceField) ? properties[choiceField] : undefined;
  return field?.type === 'string' && 'enum' in field && isDeepStrictEqual(form, choiceForm(field.enum));
}

/**
 * The form in a text of JSON, as an agent sends it.
 * @throws Failure `usage`, with the path of the member that is not allowed
 */
export function readForm(source: string, text: string): Form {
  let form: Form;
  try {
    form = JSON.parse(text);
  } catch {
    throw new Failure('usage', `${source} is not JSON. Nothing was sent: give a form as JSON Schema.`, {
      code: 'invalid_input',
      reason: 'invalid_form',
    });
  }
  return checked(source, form);
}

function checked(source: string, form: Form): Form {
  try {
    return toForm(form);
  } catch (error) {
    if (!RelayError.is(error, 'invalid_form')) throw error;
    const { message } = error as Error;
    throw new Failure('usage', `${source} is not a form. ${message} Nothing was sent.`, {
      code: 'invalid_input',
      reason: 'invalid_form',
      cause: error,
    });
  }
}
