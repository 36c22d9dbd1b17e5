export { eventParts, type FactType } from './event-parts.ts';
export {
  createOutboxPublisher,
  type OutboxPublisher,
  type OutboxPublisherOptions,
} from './outbox-publisher.ts';
export { readRevocationEvents } from './revocation-events.ts';
export { endedPerBatch, waitForOutbox } from './wait-for-outbox.ts';
