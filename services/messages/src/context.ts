import type { Query } from '@expert-relay/db';

/** The dependencies of the routes. */
export interface Context {
  readonly query: Query;
  /** Call it after a commit, so that the outbox leader publishes the event at once. */
  readonly wakeOutbox: () => void;
}
