import { Problem } from '@expert-relay/kit/problem';

/** Ids as Postgres and this relay write them. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id of a path. A malformed one gets the same answer as an unknown one. */
export function idFromPath(text: string | undefined): string {
  if (text === undefined || !uuidPattern.test(text)) throw new Problem('not_found');
  return text;
}
