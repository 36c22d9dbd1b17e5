import type { Query } from '@expert-relay/db';

/** What the routes of this service work with. */
export interface Context {
  readonly query: Query;
  /** Tells the outbox leader, wherever it runs, that something was committed. */
  readonly nudge: () => void;
}
