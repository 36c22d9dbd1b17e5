import { Problem } from '../problem/index.ts';

/** Ids as Postgres and this relay write them. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id in a parameter of the path. A malformed id gets the same response as an unknown one. */
export function uuidFrom(params: Readonly<Record<string, string>>, name: string): string {
  const id = params[name] ?? '';
  if (!uuidPattern.test(id)) throw new Problem('not_found');
  return id;
}
