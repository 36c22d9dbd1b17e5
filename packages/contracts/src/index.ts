/** The shapes of requests and responses, as docs/openapi.yaml describes them. */
export type * as Api from './api/generated/api.ts';
export { appendTraceparent, decodeEvent, type Envelope, encodeEvent, encodePublished } from './event.ts';
export { EventHead } from './event-head.ts';
export {
  type EndReasonName,
  type EventType,
  endReasonName,
  type RoleName,
  roleName,
} from './event-names.ts';
export * from './generated/relay/events/v1/events_pb.ts';
export * from './payload.ts';
export { parseStartPosition, startPositionOf } from './start-position.ts';
export {
  type StreamTokenClaims,
  type StreamTokenCredential,
  sessionClockToleranceMs,
  streamToken,
  topicsNotCovered,
} from './stream-token.ts';
export { type Permissions, permissionsFor, type Subjects, subjectsFor } from './subjects.ts';
export { formatTopic, parseTopic, type Topic } from './topic.ts';
