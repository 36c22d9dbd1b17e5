import { z } from 'zod';

const text = z.string({ error: 'Expected a text.' });

/** Opaque to us, but one spelling for the same bytes: what is signed must come back to the byte. */
const base64 = text.refine((value) => Buffer.from(value, 'base64').toString('base64') === value, {
  error: 'Expected canonical base64 (standard alphabet, padded).',
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

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
    messageId: text.regex(uuid, 'Expected a UUID.').nullish(),
  })
  .superRefine(({ encrypted, signature, plaintext }, context) => {
    const complain = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (encrypted && !signature) complain('signature', 'Expected the signature that goes with `encrypted`.');
    if (signature && !encrypted) complain('encrypted', 'Expected the blob that goes with `signature`.');
    if (!encrypted && !signature && !plaintext) {
      complain('plaintext', 'Expected either `encrypted` together with `signature`, or `plaintext`.');
    }
  });

export type MessageBody = z.infer<typeof messageSchema>;
