export { findKey } from './api-key/find-key.ts';
export { createKeyUsage } from './api-key/key-usage.ts';
export { createPostgres, type Postgres } from './database/create-postgres.ts';
export type * from './generated/client.ts';
export {
  endedPerBatch,
  eventParts,
  type FactType,
  readRevocationEvents,
  waitForOutbox,
} from './outbox/index.ts';
export { failures } from './postgres/failures.ts';
export { empty, join, type Query, raw, type Sql, sql } from './postgres/query.ts';
export { lockKeys } from './postgres/session-lock.ts';
export {
  endedProblem,
  isOpen,
  isSnoozed,
  moveExpired,
  overdue,
  ownedBy,
  type Party,
  roleOf,
  statusNow,
} from './request/conditions.ts';
export {
  noteColumns,
  publicKeyColumns,
  type RequestContent,
  type RequestNotes,
  submissionColumns,
  withoutAbsent,
} from './request/content.ts';
export {
  makeRefCode,
  makeRequestId,
  parseRefCode,
  parseRefCodeStart,
  refCodeColumn,
  requestIdFrom,
} from './request/ids.ts';
export { isSessionOpen, sessionsFrom } from './session/is-session-open.ts';
