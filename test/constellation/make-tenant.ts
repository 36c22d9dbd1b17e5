import type { PrismaClient } from '@expert-relay/db';
import { createUser } from '@expert-relay/requests/create-user';

/** A user with keys of both kinds. Users must not see anything of each other. */
export interface Tenant {
  readonly userId: string;
  readonly consumerKey: string;
  /** A second key of the same user, which must not see the requests of the first one. */
  readonly otherConsumerKey: string;
  readonly providerKey: string;
}

/** Creates a user with the function that the admin command uses. */
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
