import { type Bytes, concat, sha256, toUtf8, tuple } from '../../crypto/bytes.ts';
import { deriveAesKey, importSecret } from '../../crypto/hkdf.ts';
import type { Role } from '../../crypto/key-exchange.ts';
import { exchangeBytes } from '../../crypto/key-exchange.ts';
import type { MessageRecord } from '../../crypto/message.ts';
import { signedBytes, writeMessage } from '../../crypto/message.ts';
import { agentKeys, agentPem, expertKeys, parsed, requestId, root, submission } from './people.ts';
import { seeded, seededId, unhex } from './seeded.ts';

export interface Forgery {
  readonly name: string;
  readonly role: Role;
  /** The bytes to encrypt, with the frame. */
  readonly frame: Uint8Array;
  readonly requestId?: string;
  /** The role that the key and the signature are made for. */
  readonly boundRole?: Role;
  /** Signs instead of the sender. */
  readonly signer?: (bytes: Bytes) => Promise<Bytes>;
  /** The expert's signing key that the conversation is bound to. */
  readonly providerSign?: string;
  /** The digest of the question that the conversation is bound to, in hex. */
  readonly submission?: string;
  /** The versions that the conversation is bound to. */
  readonly versions?: Bytes;
  /** Whether only the encryption is bound to the above, and the signature to what it should be. */
  readonly keyOnly?: boolean;
}

/** A message that no correct client makes: with any frame, and bound to any keys, role and request. */
export async function forge(forgery: Forgery): Promise<MessageRecord> {
  const { name, role, frame, requestId: id = requestId, boundRole = role } = forgery;
  const [consumer, provider] = [await agentKeys(), await expertKeys(root, id)];
  const [sender, reader] = role === 'consumer' ? [consumer, provider] : [provider, consumer];
  const expert = { sign: provider.signPublic.pem, encrypt: provider.encryptPublic.pem };
  const bind = async ({ providerSign = expert.sign, submission: question, versions }: Partial<Forgery>) => {
    const keys = { consumer: parsed(await agentPem()), provider: parsed({ ...expert, sign: providerSign }) };
    const digest = unhex(question ?? (await submission));
    return await sha256(exchangeBytes(id, keys, digest, versions));
  };
  const conversation = await bind(forgery);
  const signedFor = forgery.keyOnly ? await bind({}) : conversation;
  const [messageId, iv] = [seededId(name), seeded(`${name} iv`, 12)];
  const secret = await importSecret(await sender.agree(reader.encryptPublic));
  const info = tuple('expert-relay/v4/message-key', conversation, boundRole);
  const key = await deriveAesKey(secret, toUtf8(messageId), info);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, concat(frame)));
  const message = {
    messageId,
    role: boundRole,
    iv,
    ciphertext: sealed.subarray(0, -16),
    tag: sealed.subarray(-16),
    ephemeralPublicKey: sender.encryptPublic.raw,
  };
  const sign = forgery.signer ?? sender.sign;
  const start = tuple('expert-relay/v4/message', signedFor, boundRole);
  return { role, ...writeMessage(message, await sign(signedBytes(start, message))) };
}
