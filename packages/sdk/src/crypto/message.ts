import { fromBase64, toBase64 } from './base64.ts';
import { type Bytes, concat, tuple } from './bytes.ts';
import type { Role } from './key-exchange.ts';
import { messageRefused } from './refusal.ts';

/** The encrypted part of a message. Every member is base64. */
export interface Encrypted {
  readonly iv: string;
  readonly ciphertext: string;
  readonly tag: string;
  readonly ephemeralPublicKey: string;
}

/** A message as it is sent. */
export interface SealedMessage {
  readonly messageId: string;
  readonly encrypted: Encrypted;
  readonly signature: string;
}

/** A message as the relay lists it. */
export interface MessageRecord extends SealedMessage {
  readonly role: Role;
}

/** A message in bytes. */
export interface MessageBytes {
  readonly messageId: string;
  readonly role: Role;
  readonly iv: Bytes;
  readonly ciphertext: Bytes;
  readonly tag: Bytes;
  readonly ephemeralPublicKey: Bytes;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isMessageId(text: unknown): text is string {
  return typeof text === 'string' && uuid.test(text);
}

/** The bytes that a message's signature covers. `start` is the same for all messages of a sender. */
export function signedBytes(start: Bytes, message: MessageBytes): Bytes {
  const { messageId, ephemeralPublicKey, iv, ciphertext, tag } = message;
  return concat(start, tuple(messageId, ephemeralPublicKey, iv, ciphertext, tag));
}

export function writeMessage(message: MessageBytes, signature: Bytes): SealedMessage {
  const { messageId, iv, ciphertext, tag, ephemeralPublicKey } = message;
  return {
    messageId,
    encrypted: {
      iv: toBase64(iv),
      ciphertext: toBase64(ciphertext),
      tag: toBase64(tag),
      ephemeralPublicKey: toBase64(ephemeralPublicKey),
    },
    signature: toBase64(signature),
  };
}

export function readOrigin({ role, messageId }: { readonly role?: unknown; readonly messageId?: unknown }): {
  readonly role: Role;
  readonly messageId: string;
} {
  if (role !== 'consumer' && role !== 'provider') throw malformed('role');
  if (!isMessageId(messageId)) throw malformed('messageId');
  return { role, messageId };
}

/** Checks every member: a hostile relay may answer anything. */
export function readMessage(record: Partial<MessageRecord> | null): {
  message: MessageBytes;
  signature: Bytes;
} {
  const { encrypted } = record ?? {};
  const message = {
    ...readOrigin(record ?? {}),
    iv: bytes(encrypted, 'iv', 12),
    ciphertext: bytes(encrypted, 'ciphertext'),
    tag: bytes(encrypted, 'tag', 16),
    ephemeralPublicKey: bytes(encrypted, 'ephemeralPublicKey', 32),
  };
  return { message, signature: bytes(record, 'signature', 64) };
}

function bytes<Name extends string>(
  from: { readonly [Member in Name]?: unknown } | null | undefined,
  name: Name,
  length?: number,
): Bytes {
  const text = from?.[name];
  const read = typeof text === 'string' ? fromBase64(text) : undefined;
  if (read && (length === undefined || read.length === length)) return read;
  throw malformed(name);
}

export const malformed = (member: string) =>
  messageRefused('malformed_message', `The ${member} of a message is malformed.`);
