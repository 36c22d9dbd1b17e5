import type { z } from 'zod';
import { type FieldError, Problem } from '../problem/index.ts';
import { maxFieldErrors } from './list-of.ts';

/** Checks a body against its schema. The error names the wrong members, the first 20 of them. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  throw new Problem('invalid_request', {
    fields: issues.slice(0, maxFieldErrors).map(toFieldError),
    ...(issues.length > maxFieldErrors && { detail: andMore }),
  });
}

const andMore = `Read \`fields\`: it names the first ${maxFieldErrors} members that are not valid, and there are more.`;

const codes: Record<string, string> = {
  invalid_type: 'type',
  too_big: 'size',
  too_small: 'size',
  invalid_format: 'format',
};

function toFieldError(issue: z.core.$ZodIssue): FieldError {
  // For an absent member, schemas report many different issues, such as a value that is not one of an enum's.
  const missing = issue.input === undefined || issue.input === null;
  return {
    path: pathOf(issue.path),
    code: missing ? 'required' : (codes[issue.code] ?? 'value'),
    message: missing ? 'This member is required.' : issue.message,
  };
}

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${String(step)}` : String(step),
    '',
  );
