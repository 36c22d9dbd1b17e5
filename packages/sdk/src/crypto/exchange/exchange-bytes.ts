import type { Bytes } from '../bytes/bytes.ts';
import { tuple } from '../bytes/tuple.ts';
import { type ConversationKeys, inOrder } from './conversation-keys.ts';

/** What `keySignature` signs. */
export function exchangeBytes(requestId: string, keys: ConversationKeys): Bytes {
  return tuple('expert-relay/v4/key-exchange', requestId, ...inOrder(keys));
}
