import { z } from 'zod';
import { checkPublicKey, type KeyAlgorithm } from './check-public-key.ts';

/** A member of a body that holds a public key. */
export const publicKey = (algorithm: KeyAlgorithm) =>
  z.string({ error: 'Expected a text.' }).superRefine((pem, context) => {
    const complaint = checkPublicKey(algorithm, pem);
    if (complaint) context.addIssue({ code: 'custom', message: complaint });
  });
