import type { Query } from '@expert-relay/db';

/** What the routes of this service work with. */
export interface Context {
  readonly query: Query;
  /** Call it after a commit, so that the outbox leader publishes the event at once. */
  readonly wakeOutbox: () => void;
}
