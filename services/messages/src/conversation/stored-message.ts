import type { Message } from '@expert-relay/db';
import type { MessageBody } from './message-schema.ts';

/** A message's content as the table has it: every column, empty or not. */
export type Content = Pick<
  Message,
  'role' | 'iv' | 'ciphertext' | 'tag' | 'ephemeralPublicKey' | 'signature' | 'plaintext'
>;

export function contentOf(role: Content['role'], { encrypted, signature, plaintext }: MessageBody): Content {
  return {
    role,
    iv: encrypted?.iv ?? null,
    ciphertext: encrypted?.ciphertext ?? null,
    tag: encrypted?.tag ?? null,
    ephemeralPublicKey: encrypted?.ephemeralPublicKey ?? null,
    signature: signature ?? null,
    plaintext: plaintext ?? null,
  };
}

const columns = ['role', 'iv', 'ciphertext', 'tag', 'ephemeralPublicKey', 'signature', 'plaintext'] as const;

export const isSame = (one: Content, other: Content): boolean =>
  columns.every((column) => one[column] === other[column]);

/** What counts towards the limit of a conversation. */
export const sizeOf = (content: Content): number =>
  columns.reduce((sum, column) => sum + Buffer.byteLength(content[column] ?? ''), 0);
