import type { Message } from '@expert-relay/db';
import { base64Schema as base64, jsonText } from '@expert-relay/kit/http';
import * as z from 'zod';

const text = z.string({ error: 'Expected a text.' });

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The relay checks the action only, clients the rest. */
const formAnswer = z.object({ action: z.enum(['accept', 'decline']) });

export const messageSchema = z
  .object({
    role: z.enum(['consumer', 'provider'], { error: 'Expected consumer or provider.' }).nullish(),
    encrypted: z
      .object(
        { iv: base64, ciphertext: base64, tag: base64, ephemeralPublicKey: base64 },
        { error: 'Expected an object {iv, ciphertext, tag, ephemeralPublicKey}.' },
      )
      .nullish(),
    signature: base64.min(1, 'Expected a signature that is not empty.').nullish(),
    plaintext: text.min(1, 'Expected a text that is not empty.').nullish(),
    answer: jsonText({
      most: 65_536,
      schema: formAnswer,
      error: 'Expected JSON text like {"action": "accept", "content": {...}}, without a member twice.',
    }).nullish(),
    messageId: text.regex(uuid, 'Expected a UUID.').nullish(),
  })
  .superRefine(({ encrypted, signature, plaintext, answer }, context) => {
    const addIssue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (encrypted && !signature) addIssue('signature', 'Expected the signature of `encrypted`.');
    if (signature && !encrypted) addIssue('encrypted', 'Expected the blob of `signature`.');
    if (answer && encrypted) addIssue('answer', 'Expected none beside `encrypted`: it belongs in the blob.');
    if (answer && !plaintext) addIssue('plaintext', 'Expected a text that says the same as `answer`.');
    else if (!encrypted && !signature && !plaintext) {
      addIssue('plaintext', 'Expected either `encrypted` together with `signature`, or `plaintext`.');
    }
  });

type MessageBody = z.infer<typeof messageSchema>;

/** The content of a message: all its columns in the table, `null` where it has none. */
export type Content = Pick<
  Message,
  'role' | 'iv' | 'ciphertext' | 'tag' | 'ephemeralPublicKey' | 'signature' | 'plaintext' | 'answer'
>;

export function contentOf(role: Content['role'], body: MessageBody): Content {
  const { encrypted, signature, plaintext, answer } = body;
  return {
    role,
    iv: encrypted?.iv ?? null,
    ciphertext: encrypted?.ciphertext ?? null,
    tag: encrypted?.tag ?? null,
    ephemeralPublicKey: encrypted?.ephemeralPublicKey ?? null,
    signature: signature ?? null,
    plaintext: plaintext ?? null,
    answer: answer ?? null,
  };
}

const columns = [
  'role',
  'iv',
  'ciphertext',
  'tag',
  'ephemeralPublicKey',
  'signature',
  'plaintext',
  'answer',
] as const;

export const isSame = (one: Content, other: Content): boolean =>
  columns.every((column) => one[column] === other[column]);

/** The bytes of a message that count towards the limit of a conversation. */
export const sizeOf = (content: Content): number =>
  columns.reduce((sum, column) => sum + Buffer.byteLength(content[column] ?? ''), 0);
