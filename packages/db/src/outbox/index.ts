export { insertEvent, insertSharedEvent } from './insert-event.ts';
export { createOutboxRelay, type OutboxRelay, type OutboxRelayOptions } from './outbox-relay.ts';
