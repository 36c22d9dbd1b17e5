import { type Bytes, toUtf8, tuple } from '../crypto/bytes.ts';
import { deriveBytes, importSecret } from '../crypto/hkdf.ts';
import type { Role } from '../crypto/key-exchange.ts';

/** Gives the keys of messages: docs/crypto-messages.md, "A message". */
export type MessageKeys = (role: Role, messageId: string) => Promise<Bytes>;

export async function openMessageKeys(sharedSecret: Bytes, conversation: Bytes): Promise<MessageKeys> {
  const secret = await importSecret(sharedSecret);
  return async (role, messageId) =>
    await deriveBytes(secret, tuple('expert-relay/v4/message-key', conversation, role), toUtf8(messageId));
}
