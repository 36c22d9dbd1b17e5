import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Follows } from './api/generated/api.ts';
import { encodeEvent } from './event.ts';
import {
  type EndReasonName,
  type EventType,
  endReasons,
  type RoleName,
  roles,
  typeOfCase,
} from './event-names.ts';
import { DomainEventSchema } from './generated/relay/events/v1/events_pb.ts';

/*
 * The payload of an outbox row: a DomainEvent with the `oneof event`. `eventParts` adds the `traceparent`. The outbox publisher adds the other fields from the columns of the row (see `encodePublished`).
 */

interface NewRequest {
  readonly question?: string | null | undefined;
  readonly follows?: Follows | undefined;
}

/** What is inserted into the outbox. */
export interface NewEvent {
  readonly type: EventType;
  readonly payload: Uint8Array;
  /** Of a new message. */
  readonly messageId?: string;
}

export function newRequestEvent({ question, follows }: NewRequest): NewEvent {
  const value = { question: excerpt(question ?? ''), ...(follows && { follows }) };
  return newEvent({ case: 'newRequest', value });
}

export function keyExchangeEvent(): NewEvent {
  return newEvent({ case: 'keyExchange', value: {} });
}

export function newMessageEvent(message: { role: RoleName; messageId: string }): NewEvent {
  const { messageId } = message;
  return { ...newEvent({ case: 'newMessage', value: { role: roles[message.role], messageId } }), messageId };
}

export function requestClosedEvent(end: { reason: EndReasonName }): NewEvent {
  return newEvent({ case: 'requestClosed', value: { reason: endReasons[end.reason] } });
}

export function requestTriagedEvent(): NewEvent {
  return newEvent({ case: 'requestTriaged', value: {} });
}

/** The secrets of a key that were made before `secretsBefore` end at `endsAt`. Both in milliseconds since 1970. */
interface Rotation {
  readonly secretsBefore: number;
  readonly endsAt: number;
}

export function credentialRevokedEvent(
  revoked: { apiKeyId: string; rotation?: Rotation } | { sessionId: string } | { allSessions: true },
): NewEvent {
  if ('sessionId' in revoked) {
    const credential = { case: 'sessionId', value: revoked.sessionId } as const;
    return newEvent({ case: 'credentialRevoked', value: { credential } });
  }
  if ('allSessions' in revoked) {
    const credential = { case: 'allSessions', value: true } as const;
    return newEvent({ case: 'credentialRevoked', value: { credential } });
  }
  const credential = { case: 'apiKeyId', value: revoked.apiKeyId } as const;
  if (!revoked.rotation) return newEvent({ case: 'credentialRevoked', value: { credential } });
  const { secretsBefore, endsAt } = revoked.rotation;
  const value = { credential, secretsBeforeMs: BigInt(secretsBefore), endsAtMs: BigInt(endsAt) };
  return newEvent({ case: 'credentialRevoked', value });
}

type Body = Extract<MessageInitShape<typeof DomainEventSchema>['event'], { case: string }>;

function newEvent(event: Body): NewEvent {
  return { type: typeOfCase[event.case], payload: encodeEvent(create(DomainEventSchema, { event })) };
}

/** How many characters of a question are in events and lists. */
export const excerptLength = 2000;

/**
 * The first 2,000 characters, counted by code point as `left()` of Postgres does. So an event and a list have the same
 * text, and no emoji is cut in half.
 */
export function excerpt(text: string): string {
  // A text never has more code points than UTF-16 units, and most questions are short.
  if (text.length <= excerptLength) return text;
  let end = 0;
  for (let count = 0; count < excerptLength && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
