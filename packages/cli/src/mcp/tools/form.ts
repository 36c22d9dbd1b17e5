import { type Form, toForm } from '@expert-relay/sdk/forms';
import * as z from 'zod';

const texts = { type: 'array', items: { type: 'string' } };

/** For clients and models, with the members that models get wrong. The SDK checks the form, and names the member that is wrong. */
const jsonSchema = {
  type: 'object',
  properties: {
    type: { const: 'object' },
    properties: {
      type: 'object',
      description: 'The fields, by name. None: the expert approves or declines.',
      additionalProperties: {
        type: 'object',
        properties: {
          type: { enum: ['string', 'number', 'integer', 'boolean', 'array'] },
          title: { type: 'string' },
          description: { type: 'string' },
          default: { description: 'Prefilled. The expert can change it.' },
          enum: texts,
          oneOf: { type: 'array', description: 'In place of enum: {"const":"eu","title":"Europe"}.' },
          format: { enum: ['email', 'uri', 'date', 'date-time'] },
          items: { description: 'For type array, several of: {"type":"string","enum":[...]}.' },
        },
        required: ['type'],
      },
    },
    required: texts,
  },
  required: ['type', 'properties'],
};

/** A form as a tool takes it: what MCP elicitation calls `requestedSchema`. */
export const formInput = z
  .unknown()
  .meta({
    ...jsonSchema,
    description:
      'For a decision in place of a text: a flat JSON Schema object, as requestedSchema of MCP elicitation, also with minLength, maximum, minItems and so on. {"type":"object","properties":{}} asks for an approval. The expert can decline every form. At most 20 fields of 50 options.',
  })
  .optional();

export const laterFormInput = z
  .unknown()
  .meta({ type: 'object', description: 'As in ask_expert.' })
  .optional();

/**
 * The form that a tool was given.
 * @throws RelayError `invalid_input` (`invalid_form`), with the path of the member that is not allowed
 */
export function readForm(given: unknown): Form | undefined {
  if (given === undefined || given === null) return undefined;
  // Models write it by habit, and a form has no other fields anyway.
  const { additionalProperties, ...form } = given as Record<string, unknown>;
  return toForm((additionalProperties === false ? form : given) as Form);
}
