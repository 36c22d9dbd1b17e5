import type { DomainEvent } from './generated/relay/events/v1/events_pb.ts';

type Case = NonNullable<DomainEvent['event']['case']>;

// The compiler asks for a line here as soon as proto/ has a new event.
export const typeOfCase = {
  newRequest: 'new_request',
  keyExchange: 'key_exchange',
  newMessage: 'new_message',
  requestClosed: 'request_closed',
  credentialRevoked: 'credential_revoked',
} as const satisfies Record<Case, string>;

/** An event's name as the outbox, the subjects and the hub's JSON spell it. */
export type EventType = (typeof typeOfCase)[Case];

export const eventTypes: readonly EventType[] = Object.values(typeOfCase);

/** Undefined for an event of a newer release, which carries a type that this one does not know. */
export function eventType(event: DomainEvent): EventType | undefined {
  return event.event.case === undefined ? undefined : typeOfCase[event.event.case];
}
