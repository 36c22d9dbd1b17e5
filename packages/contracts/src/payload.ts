import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { encodeEvent } from './event.ts';
import { type EndReasonName, endReasons, type RoleName, roles } from './event-names.ts';
import { DomainEventSchema } from './generated/relay/events/v1/events_pb.ts';

/*
 * The payload of an outbox row: a DomainEvent with the `oneof event`. `insertEvent` and `insertSharedEvent` add what only they know,
 * the `traceparent` or the `requests`. The outbox publisher adds the other fields from the columns of the row (see `encodePublished`).
 */

export function newRequestPayload(request: { question: string | null }): Uint8Array {
  return payload({ case: 'newRequest', value: { question: excerpt(request.question ?? '') } });
}

export function keyExchangePayload(): Uint8Array {
  return payload({ case: 'keyExchange', value: {} });
}

export function newMessagePayload(message: { role: RoleName; messageId: string }): Uint8Array {
  return payload({ case: 'newMessage', value: { role: roles[message.role], messageId: message.messageId } });
}

export function requestClosedPayload(end: { reason: EndReasonName }): Uint8Array {
  return payload({ case: 'requestClosed', value: { reason: endReasons[end.reason] } });
}

/** The secrets of a key that were made before `secretsBefore` end at `endsAt`. Both in milliseconds since 1970. */
interface Rotation {
  readonly secretsBefore: number;
  readonly endsAt: number;
}

export function credentialRevokedPayload(
  revoked: { apiKeyId: string; rotation?: Rotation } | { sessionId: string; signedOut?: boolean },
): Uint8Array {
  if ('sessionId' in revoked) {
    const credential = { case: 'sessionId', value: revoked.sessionId } as const;
    const value = { credential, sessionSignedOut: revoked.signedOut ?? false };
    return payload({ case: 'credentialRevoked', value });
  }
  const credential = { case: 'apiKeyId', value: revoked.apiKeyId } as const;
  if (!revoked.rotation) return payload({ case: 'credentialRevoked', value: { credential } });
  const { secretsBefore, endsAt } = revoked.rotation;
  const value = { credential, secretsBeforeMs: BigInt(secretsBefore), endsAtMs: BigInt(endsAt) };
  return payload({ case: 'credentialRevoked', value });
}

type EventPart = NonNullable<MessageInitShape<typeof DomainEventSchema>['event']>;

function payload(event: EventPart): Uint8Array {
  return encodeEvent(create(DomainEventSchema, { event }));
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
