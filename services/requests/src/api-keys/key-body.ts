import type { ApiKey, Prisma } from '@expert-relay/db';

/** What the owner of a key sees of it. */
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

export const keyBody = ({ id, kind, name, lastFour, createdAt, lastUsedAt, revokedAt }: KeyView) => ({
  id,
  kind,
  name,
  lastFour,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  revokedAt: revokedAt?.toISOString() ?? null,
});
