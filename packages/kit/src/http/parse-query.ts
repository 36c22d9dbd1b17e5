import type { z } from 'zod';
import { Problem } from '../problem/index.ts';
import { parseBody } from './parse-body.ts';

/** Checks the query like a body; a parameter that stands twice is refused, NUL and broken text too. */
export function parseQuery<T>(schema: z.ZodType<T>, query: URLSearchParams): T {
  const values = Object.fromEntries(query);
  for (const [name, value] of query) {
    const twice = query.getAll(name).length > 1;
    if (!twice && !value.includes('\0')) continue;
    const message = twice ? 'Expected this parameter once.' : 'Expected a text without NUL.';
    throw new Problem('invalid_request', { fields: [{ path: name, code: 'value', message }] });
  }
  return parseBody(schema, values);
}
