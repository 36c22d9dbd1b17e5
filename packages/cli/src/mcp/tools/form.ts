import { type Form, toForm } from '@expert-relay/sdk/forms';
import * as z from 'zod';

const text = { type: 'string' };
const number = { type: 'number' };
const texts = { type: 'array', items: text };
const titledOptions = {
  type: 'array',
  items: { type: 'object', properties: { const: text, title: text }, required: ['const', 'title'] },
};

/** For clients and models. The SDK checks the form itself, and names the member that is wrong. */
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
          title: text,
          description: text,
          default: { description: 'Prefilled. The expert can change it.' },
          enum: texts,
          oneOf: { ...titledOptions, description: 'In place of enum: options with titles.' },
          minLength: number,
          maxLength: number,
          format: { enum: ['email', 'uri', 'date', 'date-time'] },
          minimum: number,
          maximum: number,
          items: {
            type: 'object',
            description: 'For type array, a choice of several options: {"type":"string","enum":[...]}.',
            properties: { type: text, enum: texts, anyOf: titledOptions },
          },
          minItems: number,
          maxItems: number,
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
      'A form, so that you get a decision to act on in place of a text: a flat JSON Schema object, as requestedSchema of MCP elicitation. {"type":"object","properties":{}} asks for an approval. The expert can decline every form. At most 20 fields of 50 options, and no line breaks in titles and descriptions.',
  })
  .optional();

/**
 * The form that a tool was given.
 * @throws RelayError `invalid_input` (`invalid_form`), with the path of the member that is not allowed
 */
export const readForm = (given: unknown): Form | undefined =>
  given === undefined || given === null ? undefined : toForm(given as Form);
