export { decodeEvent, type Envelope, encodeEvent, sealEvent } from './event.ts';
export { EventHead } from './event-head.ts';
export { type EventType, eventType, eventTypes } from './event-type.ts';
export { excerpt, excerptLength } from './excerpt.ts';
export * from './generated/relay/events/v1/events_pb.ts';
export { type EndReasonName, endReasonName, type RoleName, roleName } from './names.ts';
export {
  credentialRevokedPayload,
  keyExchangePayload,
  newMessagePayload,
  newRequestPayload,
  requestClosedPayload,
} from './payload.ts';
export { type Permissions, permissionsFor } from './permissions.ts';
export { placeTags } from './place-tags.ts';
export type { AboutRequest } from './read-request-place.ts';
export { ensureStream, type StreamOutcome, type StreamSettings } from './stream.ts';
export { type Subjects, subjectsFor } from './subjects.ts';
export { formatTopic, parseTopic, type Topic } from './topic.ts';
