import {
  type AboutRequest,
  type DomainEvent,
  type EventHead,
  endReasonName,
  formatTopic,
  roleName,
} from '@expert-relay/contracts';
import { readBodyOf } from './read-event.ts';

type Body = DomainEvent['event'];

/**
 * The topics that an event goes to, a copy for each. A request that it is about has two: the spec's, and the
 * activity topic of its provider. None for a revoked credential, which is nobody's news, and for the events of a
 * newer release.
 */
export function topicsOf({ type, requests }: EventHead): readonly string[] {
  const topics: string[] = [];
  for (const about of requests) {
    const topic = specTopic(type, about);
    if (topic === undefined) return [];
    topics.push(topic, formatTopic({ kind: 'activity', userId: about.userId }));
  }
  return topics;
}

/** The JSON of a copy: one for the spec's topic has exactly the spec's members, the other names the request too. */
export function jsonOf(event: EventHead, copy: number): string | undefined {
  const about = event.requestAt(copy >> 1);
  const body = readBodyOf(event);
  const members = about && specMembers(body, about.refCode);
  if (!members) return undefined;
  const isForActivity = copy % 2 === 1;
  return JSON.stringify(
    isForActivity ? { ...members, requestId: about.requestId, ...moreForActivity(body) } : members,
  );
}

function specTopic(type: EventHead['type'], { userId, requestId }: AboutRequest): string | undefined {
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
