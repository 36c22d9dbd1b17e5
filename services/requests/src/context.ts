import type { PrismaClient, Query } from '@expert-relay/db';
import type { Log } from '@expert-relay/kit/log';
import type { Principal } from '@expert-relay/kit/principal';
import type { SignStreamToken } from './stream-tokens/sign-stream-token.ts';

/** The dependencies of the routes. */
export interface Context {
  readonly prisma: PrismaClient;
  readonly query: Query;
  /** Call it after a commit, so that the outbox leader publishes the event at once. */
  readonly wakeOutbox: () => void;
  /** For a key that is not the caller's: that one is noted for each call. */
  readonly noteKeyUse: (principal: Principal) => void;
  readonly signStreamToken: SignStreamToken;
  readonly log: Log;
  /** Milliseconds. */
  readonly conversationTtl: number;
}
