import type { PublicKey } from '../keys/public-key.ts';

export type Role = 'consumer' | 'provider';

/** What one side shows of itself. */
export interface PublicKeys {
  readonly sign: PublicKey;
  readonly encrypt: PublicKey;
}

/** Both sides of a conversation. */
export type ConversationKeys = Readonly<Record<Role, PublicKeys>>;

/** All four keys in their one order: whatever is bound to them fails when one was swapped on its way. */
export function inOrder({ consumer, provider }: ConversationKeys): Uint8Array[] {
  return [consumer.sign, consumer.encrypt, provider.sign, provider.encrypt].map(({ raw }) => raw);
}
