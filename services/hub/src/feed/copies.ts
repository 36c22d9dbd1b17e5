import {
  type DomainEvent,
  type EventHead,
  endReasonName,
  formatTopic,
  roleName,
} from '@expert-relay/contracts';
import { readBodyOf } from './read-event.ts';

type Body = DomainEvent['event'];

/**
 * The topics that an event goes to: the spec's first, then the activity topic of the provider whose request it
 * is about. None for a revoked credential, which is nobody's news, and for the events of a newer release.
 */
export function topicsOf(event: EventHead): readonly string[] {
  const topic = specTopic(event);
  return topic === undefined ? [] : [topic, formatTopic({ kind: 'activity', userId: event.userId })];
}

/** The JSON of one of the copies: the first has exactly the spec's members, the second names the request too. */
export function jsonOf(event: EventHead, copy: number): string | undefined {
  const body = readBodyOf(event);
  const members = specMembers(body, event.refCode);
  if (!members) return undefined;
  return JSON.stringify(
    copy === 0 ? members : { ...members, requestId: event.requestId, ...moreForActivity(body) },
  );
}

function specTopic({ type, userId, requestId }: EventHead): string | undefined {
  switch (type) {
    case 'new_request':
      return formatTopic({ kind: 'provider', userId });
    case 'key_exchange':
    case 'new_message':
    case 'request_closed':
      return formatTopic({ kind: 'request', requestId });
    default:
      return undefined;
  }
}

function specMembers(body: Body, refCode: string): object | undefined {
  switch (body.case) {
    case 'newRequest':
      return { type: 'new_request', refCode, question: body.value.question };
    case 'keyExchange':
      return { type: 'key_exchange', refCode };
    case 'newMessage':
      return { type: 'new_message', role: roleName(body.value.role), messageId: body.value.messageId };
    case 'requestClosed':
      return { type: 'request_closed', refCode };
    default:
      return undefined;
  }
}

function moreForActivity(body: Body): object {
  return body.case === 'requestClosed' ? { reason: endReasonName(body.value.reason) } : {};
}
