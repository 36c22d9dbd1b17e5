import type { PrismaClient } from '@expert-relay/db';
import { createUser } from '@expert-relay/requests/create-user';

/** An expert with a key of each kind: everything of one is foreign to the other. */
export interface Tenant {
  readonly userId: string;
  readonly consumerKey: string;
  /** Of the same user, and not the one that makes the requests. */
  readonly otherConsumerKey: string;
  readonly providerKey: string;
}

/** Made as an operator would: by the admin command's own function. */
export async function makeTenant(prisma: PrismaClient, name = 'expert'): Promise<Tenant> {
  const { userId, keys } = await createUser(prisma, {
    name,
    provider: 'testkit',
    subject: crypto.randomUUID(),
    keys: ['consumer', 'consumer', 'provider'],
  });
  const [consumerKey = '', otherConsumerKey = '', providerKey = ''] = keys.map(({ key }) => key);
  return { userId, consumerKey, otherConsumerKey, providerKey };
}
