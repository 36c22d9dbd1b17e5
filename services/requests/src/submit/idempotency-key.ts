import { createHash } from 'node:crypto';
import { Problem } from '@expert-relay/kit/problem';
import type { Submission } from './submit-schema.ts';

/** What makes a repeated submit known again. */
export interface IdempotencyKey {
  keyDigest: Buffer;
  bodyDigest: Buffer;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** From the `Idempotency-Key` header, or from the body where a browser may not send that header. */
export function idempotencyKeyOf(
  header: string | undefined,
  submission: Submission,
): IdempotencyKey | undefined {
  if (header !== undefined && (header.length < 1 || header.length > 255)) {
    throw new Problem('invalid_request', {
      fields: [{ path: 'Idempotency-Key', code: 'size', message: 'Expected 1 to 255 characters.' }],
    });
  }
  const { idempotencyKey, ...rest } = submission;
  const key = header ?? idempotencyKey;
  return key ? { keyDigest: sha256(key), bodyDigest: sha256(JSON.stringify(rest)) } : undefined;
}
