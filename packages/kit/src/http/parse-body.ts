import * as z from 'zod';
import { type FieldError, Problem } from '../problem/index.ts';

/** The most errors that a response names. */
const maxFieldErrors = 20;

/** Checks a body against its schema. The error names the first 20 wrong members. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  throw new Problem('invalid_request', {
    fields: issues.slice(0, maxFieldErrors).map(toFieldError),
    ...(issues.length > maxFieldErrors && { detail: moreErrors }),
  });
}

const moreErrors = `Read \`fields\`: it names the first ${maxFieldErrors} members that are not valid, and there are more.`;

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
    message: missing && issue.code !== 'custom' ? 'This member is required.' : issue.message,
  };
}

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${String(step)}` : String(step),
    '',
  );

/** A parameter's name is chosen by the client and can be long. An error repeats only the beginning of it. */
const maxPathLength = 100;

/** Checks the query in the same way. A repeated parameter, and one with NUL in its value, are refused. */
export function parseQuery<T>(schema: z.ZodType<T>, query: URLSearchParams): T {
  const counts = new Map<string, number>();
  for (const name of query.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [name, value] of query) {
    const isRepeated = counts.get(name) !== 1;
    if (!isRepeated && !value.includes('\0')) continue;
    const message = isRepeated ? 'Expected this parameter once.' : 'Expected a text without NUL.';
    const path = name.slice(0, maxPathLength);
    throw new Problem('invalid_request', { fields: [{ path, code: 'value', message }] });
  }
  return parseBody(schema, Object.fromEntries(query));
}

/**
 * A list in a body. Its length is checked before its entries, and no entry is checked once there are more
 * errors than a response names, so a long list of wrong entries costs no more than a short one.
 */
export function listOf<T>(
  entry: z.ZodType<T>,
  { least = 0, most, error }: { least?: number; most: number; error: string },
) {
  return z
    .array(z.unknown(), { error })
    .min(least, error)
    .max(most, error)
    .transform((values, context): T[] => {
      const entries: T[] = [];
      for (const [index, value] of values.entries()) {
        const result = entry.safeParse(value, { reportInput: true });
        if (result.success) entries.push(result.data);
        for (const issue of result.error?.issues ?? []) {
          // `continue` lets the other members of the body be checked as well.
          const raised = { ...issue, path: [index, ...issue.path], continue: true };
          context.issues.push(raised as z.core.$ZodRawIssue);
        }
        if (context.issues.length > maxFieldErrors) break;
      }
      return entries;
    });
}
