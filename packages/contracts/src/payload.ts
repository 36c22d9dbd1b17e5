import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { encodeEvent } from './event.ts';
import { excerpt } from './excerpt.ts';
import { DomainEventSchema } from './generated/relay/events/v1/events_pb.ts';
import { type EndReasonName, endReasons, type RoleName, roles } from './names.ts';

/*
 * What a writer puts into an outbox row: a DomainEvent of which only the `oneof event` is set.
 * The relay adds the rest from the row's other columns (see sealEvent).
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

export function credentialRevokedPayload(by: { apiKeyId: string } | { sessionId: string }): Uint8Array {
  const credential =
    'apiKeyId' in by
      ? ({ case: 'apiKeyId', value: by.apiKeyId } as const)
      : ({ case: 'sessionId', value: by.sessionId } as const);
  return payload({ case: 'credentialRevoked', value: { credential } });
}

type EventPart = NonNullable<MessageInitShape<typeof DomainEventSchema>['event']>;

function payload(event: EventPart): Uint8Array {
  return encodeEvent(create(DomainEventSchema, { event }));
}
