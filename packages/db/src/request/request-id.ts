import { Problem } from '@expert-relay/kit/problem';
import { randomBytes } from './random-bytes.ts';

/** 128 random bits: whoever holds it may poll, so nobody may guess it. */
export const makeRequestId = (): string => randomBytes(16).toString('base64url');

/** A path's request id. What no request can be called is answered like one that does not exist. */
export function requestIdFrom(params: Readonly<Record<string, string>>): string {
  const id = params.requestId ?? '';
  if (!/^[A-Za-z0-9_-]{22}$/.test(id)) throw new Problem('not_found');
  return id;
}
