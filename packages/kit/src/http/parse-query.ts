import type { z } from 'zod';
import { Problem } from '../problem/index.ts';
import { parseBody } from './parse-body.ts';

/** An error repeats no more of a parameter's name than this: the client chose it, not a schema. */
const longestPath = 100;

/** Checks the query like a body. A repeated parameter is refused, and so is one with NUL in its value. */
export function parseQuery<T>(schema: z.ZodType<T>, query: URLSearchParams): T {
  const counts = new Map<string, number>();
  for (const name of query.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [name, value] of query) {
    const isRepeated = counts.get(name) !== 1;
    if (!isRepeated && !value.includes('\0')) continue;
    const message = isRepeated ? 'Expected this parameter once.' : 'Expected a text without NUL.';
    const path = name.slice(0, longestPath);
    throw new Problem('invalid_request', { fields: [{ path, code: 'value', message }] });
  }
  return parseBody(schema, Object.fromEntries(query));
}
