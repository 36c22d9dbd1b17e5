export { type FoundKey, findKey } from './api-key/find-key.ts';
export { createKeyUsage, type KeyUsage } from './api-key/key-usage.ts';
export * from './generated/client.ts';
export {
  createOutboxRelay,
  type OutboxRelay,
  type OutboxRelayOptions,
} from './outbox/create-outbox-relay.ts';
export { insertEvent } from './outbox/insert-event.ts';
export { createDatabase, type Database } from './postgres/create-database.ts';
export type { Query } from './postgres/create-query.ts';
export { ownedBy, type Party, roleOf } from './request/access.ts';
export { endedProblem } from './request/ended-problem.ts';
export { formatRefCode, makeRefCode, parseRefCode } from './request/ref-code.ts';
export { makeRequestId, requestIdFrom } from './request/request-id.ts';
export { isOpen, overdue, statusNow } from './request/status-now.ts';
