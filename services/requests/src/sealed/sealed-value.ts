import { createHash } from 'node:crypto';
import type { SealedName } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { erasedUser } from '../users/erased-user.ts';

/*
 * Values of a user that the expert's devices encrypt and the relay cannot read. A caller replaces one only after reading it: two devices
 * do not undo each other's changes, and a lost root key cannot be recovered.
 */

export const sealedQuery = z.object({
  optional: z.enum(['true', 'false'], { error: 'Expected true or false.' }).optional(),
});

/** Any JSON, as text. */
export const sealedSchema = (maxBytes: number) =>
  z
    .unknown()
    .refine((value) => value !== undefined && value !== null, { error: 'This member is required.' })
    .transform((value) => JSON.stringify(value))
    .refine((text) => Buffer.byteLength(text ?? '') <= maxBytes, {
      error: `Expected JSON of up to ${maxBytes / 1_024} KB.`,
    });

/** Undefined while there is none. */
export async function readSealed(
  { prisma }: Context,
  { userId, name }: { userId: string; name: SealedName },
): Promise<{ value: unknown; headers: { etag: string } } | undefined> {
  const row = await prisma.sealedValue.findUnique({ where: { userId_name: { userId, name } } });
  return row ? { value: JSON.parse(row.value), headers: { etag: etagOf(row.value) } } : undefined;
}

interface Write {
  readonly userId: string;
  readonly name: SealedName;
  readonly text: string;
  /** The header. Without it, this is the first value. */
  readonly ifMatch: string | undefined;
}

/** The response to a PUT. */
export async function writeSealed({ prisma }: Context, { userId, name, text, ifMatch }: Write) {
  const isFirst = ifMatch === undefined;
  const [put] = await prisma.$queryRaw<{ created: boolean }[]>`
    INSERT INTO sealed_values AS sealed (user_id, name, value)
    SELECT id, ${name}::sealed_name, ${text} FROM users
    WHERE id = ${userId}::uuid AND (${isFirst} OR EXISTS (
      SELECT 1 FROM sealed_values WHERE user_id = ${userId}::uuid AND name = ${name}::sealed_name))
    ON CONFLICT (user_id, name) DO UPDATE
      SET value = EXCLUDED.value, updated_at = clock_timestamp()
      WHERE '"' || encode(sha256(convert_to(sealed.value, 'UTF8')), 'hex') || '"' = ANY(${etagsIn(ifMatch)}::text[])
    RETURNING xmax = 0 AS created`;
  if (!put) {
    if ((await prisma.user.count({ where: { id: userId } })) === 0) throw erasedUser();
    throw new Problem(isFirst ? 'precondition_required' : 'precondition_failed');
  }
  return { status: put.created ? 201 : 200, body: {}, headers: { etag: etagOf(text) } };
}

/** The strong ones of a list of ETags. `*` is none: it names no value that the caller has read. */
const etagsIn = (ifMatch = ''): string[] =>
  ifMatch
    .split(',')
    .map((one) => one.trim())
    .filter((one) => /^"[^"]*"$/.test(one));

const etagOf = (text: string): string => `"${createHash('sha256').update(text).digest('hex')}"`;
