import type { Api } from '@expert-relay/contracts';
import type { ApiKey, Prisma } from '@expert-relay/db';
import * as z from 'zod';

/** The columns of a key that are shown to its owner. */
export const keySelect = {
  id: true,
  kind: true,
  name: true,
  lastFour: true,
  createdAt: true,
  lastUsedAt: true,
  revokedAt: true,
} as const satisfies Prisma.ApiKeySelect;

export type KeyView = Pick<ApiKey, keyof typeof keySelect>;

export const keyBody = ({
  id,
  kind,
  name,
  lastFour,
  createdAt,
  lastUsedAt,
  revokedAt,
}: KeyView): Api.Key => ({
  id,
  kind,
  name,
  lastFour,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  revokedAt: revokedAt?.toISOString() ?? null,
});

const expected = 'Expected 1 to 100 characters.';

export const keyName = z.string({ error: 'Expected a text.' }).trim().min(1, expected).max(100, expected);
