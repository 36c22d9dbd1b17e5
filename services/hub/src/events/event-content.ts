import {
  type DomainEvent,
  EventHead,
  endReasonName,
  formatTopic,
  roleName,
  type Topic,
} from '@expert-relay/contracts';

type Body = DomainEvent['event'];

/** The event in these bytes, without decoding its body; undefined when they are not an event. */
export function parseEvent(bytes: Uint8Array): EventHead | undefined {
  try {
    return new EventHead(bytes);
  } catch {
    return undefined;
  }
}

/** The body, decoded. Its case is undefined when the event is of a newer release, or when it cannot be decoded. */
export function bodyOf(event: EventHead): Body {
  try {
    return event.readBody();
  } catch {
    return { case: undefined };
  }
}

/** When it was recorded, in milliseconds since 1970; undefined when it does not say, or when that cannot be decoded. */
export function recordedAtOf(event: EventHead | undefined): number | undefined {
  try {
    return event?.readTime();
  } catch {
    return undefined;
  }
}

/**
 * The topics that an event is sent to, one copy for each: the contract's topic, if the contract has the event, and the activity topic
 * of the provider. An event that is not about a request has none, and neither have those of a newer release.
 */
export function topicsOf(event: EventHead): readonly string[] {
  const { type, userId, requestId } = event;
  if (requestId === '' || type === undefined || type === 'credential_revoked') return [];
  const activity = formatTopic({ kind: 'activity', userId });
  if (type === 'request_triaged') return [activity];
  const topic: Topic = type === 'new_request' ? { kind: 'provider', userId } : { kind: 'request', requestId };
  return [formatTopic(topic), activity];
}

/** The JSON of a copy, by its index in `topicsOf`. The activity topic's has more members than those of the contract. */
export function jsonOf(event: EventHead, copy: number): string | undefined {
  const body = bodyOf(event);
  const members = membersOf(body, event.refCode);
  if (!members) return undefined;
  const isForActivity = copy === 1 || body.case === 'requestTriaged';
  const json = JSON.stringify(
    isForActivity ? { ...members, requestId: event.requestId, ...activityMembers(body) } : members,
  );
  return json.replaceAll(furtherLineEnds, escaped);
}

/** Line ends of Unicode that JSON may contain as they are. Some readers of lines would end a line of SSE there, or read only up to it. */
const furtherLineEnds = /[\u0085\u2028\u2029]/g;
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function membersOf(body: Body, refCode: string): object | undefined {
  switch (body.case) {
    case 'newRequest':
      return { type: 'new_request', refCode, question: body.value.question };
    case 'keyExchange':
      return { type: 'key_exchange', refCode };
    case 'newMessage':
      return { type: 'new_message', role: roleName(body.value.role), messageId: body.value.messageId };
    case 'requestClosed':
      return { type: 'request_closed', refCode };
    case 'requestTriaged':
      return { type: 'request_triaged', refCode };
    case 'credentialRevoked':
      return undefined;
    default:
      return body.case satisfies undefined;
  }
}

function activityMembers(body: Body): object {
  if (body.case === 'requestClosed') return { reason: endReasonName(body.value.reason) };
  const follows = body.case === 'newRequest' ? body.value.follows : undefined;
  return follows ? { follows: { files: follows.files, question: follows.question } } : {};
}
