import type { PrismaClient, User } from '@expert-relay/db';
import { keyBody, keySelect } from '../../api-keys/key-body.ts';
import { exportMessages } from './export-messages.ts';
import { exportRequests } from './export-requests.ts';

export type ExportRecord = { readonly type: string } & Readonly<Record<string, unknown>>;

/** All that is stored about a user, piece by piece: as much as a page of it is in memory at a time. */
export async function* exportUser(prisma: PrismaClient, user: User): AsyncGenerator<ExportRecord> {
  const { id: userId, name, email, createdAt } = user;
  yield { type: 'user', userId, name, email, createdAt };

  for (const { provider, subject, label, createdAt: since } of await prisma.identity.findMany({
    where: { userId },
  }))
    yield { type: 'identity', provider, subject, label, createdAt: since };

  const links = await prisma.signInLink.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } });
  for (const { id, createdAt: since, expiresAt, usedAt } of links)
    yield { type: 'sign_in_link', linkId: id, createdAt: since, expiresAt, usedAt };

  const keys = await prisma.apiKey.findMany({
    where: { userId },
    orderBy: { createdAt: 'asc' },
    select: keySelect,
  });
  for (const key of keys) yield { type: 'key', ...keyBody(key) };

  const vault = await prisma.vault.findUnique({ where: { userId } });
  if (vault) yield { type: 'vault', vault: JSON.parse(vault.wrappedRootSecret), updatedAt: vault.updatedAt };

  let [requests, messages] = [0, 0];
  for await (const request of exportRequests(prisma, userId)) {
    yield { type: 'request', ...request };
    requests++;
    for await (const message of exportMessages(prisma, request.requestId)) {
      yield { type: 'message', ...message };
      messages++;
    }
  }
  yield { type: 'end', requests, messages };
}
