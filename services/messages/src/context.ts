import type { Query } from '@expert-relay/db';

/** The dependencies of the routes. */
export interface Context {
  readonly query: Query;
  /** Call it after a commit, so that the event is published at once: see packages/db/src/outbox. */
  readonly wakeOutbox: () => void;
}
