import type { PrismaClient, Query } from '@expert-relay/db';
import type { SignStreamToken } from './stream-tokens/sign-stream-token.ts';

/** What the routes of this service work with. */
export interface Context {
  readonly prisma: PrismaClient;
  readonly query: Query;
  /** Tells the outbox leader, wherever it runs, that something was committed. */
  readonly nudge: () => void;
  readonly signStreamToken: SignStreamToken;
  /** Milliseconds. */
  readonly conversationTtl: number;
}
