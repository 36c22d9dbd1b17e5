import { type DomainEvent, EndReason, Role } from './generated/relay/events/v1/events_pb.ts';

type Case = NonNullable<DomainEvent['event']['case']>;

// The compiler reports an error here when proto/ has an event without a name.
export const typeOfCase = {
  newRequest: 'new_request',
  keyExchange: 'key_exchange',
  newMessage: 'new_message',
  requestClosed: 'request_closed',
  credentialRevoked: 'credential_revoked',
  requestTriaged: 'request_triaged',
} as const satisfies Record<Case, string>;

/** An event's name as the outbox, the subjects and the hub's JSON spell it. */
export type EventType = (typeof typeOfCase)[Case];

export type RoleName = 'consumer' | 'provider';
export type EndReasonName = 'closed' | 'expired';

export const roles: Readonly<Record<RoleName, Role>> = { consumer: Role.CONSUMER, provider: Role.PROVIDER };

export const endReasons: Readonly<Record<EndReasonName, EndReason>> = {
  closed: EndReason.CLOSED,
  expired: EndReason.EXPIRED,
};

/** The role as the contract's JSON spells it; undefined for one that this release does not know. */
export function roleName(role: Role): RoleName | undefined {
  return nameOf(roles, role);
}

/** The reason as the activity topic spells it; undefined for one that this release does not know. */
export function endReasonName(reason: EndReason): EndReasonName | undefined {
  return nameOf(endReasons, reason);
}

function nameOf<Name extends string, Value>(
  names: Readonly<Record<Name, Value>>,
  wanted: Value,
): Name | undefined {
  for (const name in names) if (names[name] === wanted) return name;
  return undefined;
}
