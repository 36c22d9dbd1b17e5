import { type DomainEvent, endReasonName, formatTopic, roleName } from '@expert-relay/contracts';

/**
 * The topics that an event goes to: the spec's first, then the activity topic of the provider whose request it
 * is about. None for a revoked credential, which is nobody's news, and for the events of a newer release.
 */
export function topicsOf(event: DomainEvent): readonly string[] {
  const topic = specTopic(event);
  return topic === undefined ? [] : [topic, formatTopic({ kind: 'activity', userId: event.userId })];
}

/** The JSON of one of the copies: the first has exactly the spec's members, the second names the request too. */
export function jsonOf(event: DomainEvent, copy: number): string {
  const members = specMembers(event);
  return JSON.stringify(
    copy === 0 ? members : { ...members, requestId: event.requestId, ...moreForActivity(event) },
  );
}

function specTopic({ event, userId, requestId }: DomainEvent): string | undefined {
  switch (event.case) {
    case 'newRequest':
      return formatTopic({ kind: 'provider', userId });
    case 'keyExchange':
    case 'newMessage':
    case 'requestClosed':
      return formatTopic({ kind: 'request', requestId });
    default:
      return undefined;
  }
}

function specMembers({ event, refCode }: DomainEvent): object {
  switch (event.case) {
    case 'newRequest':
      return { type: 'new_request', refCode, question: event.value.question };
    case 'keyExchange':
      return { type: 'key_exchange', refCode };
    case 'newMessage':
      return { type: 'new_message', role: roleName(event.value.role), messageId: event.value.messageId };
    case 'requestClosed':
      return { type: 'request_closed', refCode };
    default:
      return {};
  }
}

function moreForActivity({ event }: DomainEvent): object {
  return event.case === 'requestClosed' ? { reason: endReasonName(event.value.reason) } : {};
}
