import type { Bytes } from '../bytes/bytes.ts';
import { tuple } from '../bytes/tuple.ts';
import { type ConversationKeys, inOrder } from './conversation-keys.ts';

/** What the signature in `keySignature` covers; `submission` is a digest of the question. */
export function exchangeBytes(requestId: string, keys: ConversationKeys, submission: Bytes): Bytes {
  return tuple('expert-relay/v4/key-exchange', requestId, ...inOrder(keys), submission);
}
