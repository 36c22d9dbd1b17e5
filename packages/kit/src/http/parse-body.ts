import type { z } from 'zod';
import { type FieldError, Problem } from '../problem/index.ts';

/** Checks a body against its schema; every member that is wrong is named at once. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw new Problem('invalid_request', { fields: result.error.issues.map(toFieldError) });
}

const codes: Record<string, string> = {
  invalid_type: 'type',
  too_big: 'size',
  too_small: 'size',
  invalid_format: 'format',
};

function toFieldError(issue: z.core.$ZodIssue): FieldError {
  // Whatever the schema complains of then, be it that nothing is none of the allowed values.
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
