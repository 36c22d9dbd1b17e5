import { Problem } from '@expert-relay/kit/problem';

/** A path's key id. What no key can be called is answered like one that does not exist. */
export function keyIdFrom(params: Readonly<Record<string, string>>): string {
  const id = params.keyId ?? '';
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new Problem('not_found');
  return id;
}
