import { EventHead, type EventType, Role } from '@expert-relay/contracts';
import { uuidPattern } from '@expert-relay/kit/http';

/** Something that happened to a request, as an event reports it. The rows of the request decide what it means. */
export interface Fact {
  readonly type: 'request.created' | 'message.created' | 'keys.exchanged' | 'request.ended';
  readonly requestId: string;
  readonly messageKey: string | null;
  /** When it was recorded, in milliseconds. */
  readonly at: number;
}

/** An event of the stream: its position, and what it reports. */
export interface ReadEvent {
  readonly seq: number;
  /** Empty for a message that is not an event. */
  readonly eventId: string;
  readonly recordedAt: number;
  readonly facts: readonly Fact[];
  readonly endedSession?: EndedSession;
}

export interface EndedSession {
  readonly sessionId: string;
  /** A person ended it. Otherwise its time was over. */
  readonly isSignedOut: boolean;
}

const factTypes: Readonly<Record<EventType, Fact['type'] | undefined>> = {
  new_request: 'request.created',
  new_message: 'message.created',
  key_exchange: 'keys.exchanged',
  request_closed: 'request.ended',
  credential_revoked: undefined,
};

/** Reads one message of the stream. A message that is not an event, or of a newer release, has no facts. */
export function readEvent({ seq, bytes }: { seq: number; bytes: Uint8Array }): ReadEvent {
  try {
    const head = new EventHead(bytes);
    const recordedAt = head.readTime() ?? 0;
    const type = head.type && factTypes[head.type];
    const messageKey = type === 'message.created' ? messageKeyOf(head) : null;
    const facts =
      type === undefined || messageKey === undefined || head.requestId === ''
        ? []
        : [{ type, requestId: head.requestId, messageKey, at: recordedAt }];
    const endedSession = endedSessionOf(head);
    return { seq, eventId: head.eventId, recordedAt, facts, ...(endedSession && { endedSession }) };
  } catch {
    return { seq, eventId: '', recordedAt: 0, facts: [] };
  }
}

function messageKeyOf(head: EventHead): string | undefined {
  const body = head.readBody();
  if (body.case !== 'newMessage' || body.value.role === Role.UNSPECIFIED) return undefined;
  const messageKey = body.value.messageId.toLowerCase();
  return uuidPattern.test(messageKey) ? messageKey : undefined;
}

function endedSessionOf(head: EventHead): EndedSession | undefined {
  if (head.type !== 'credential_revoked') return undefined;
  const body = head.readBody();
  if (body.case !== 'credentialRevoked' || body.value.credential.case !== 'sessionId') return undefined;
  const { value: sessionId } = body.value.credential;
  return uuidPattern.test(sessionId.toLowerCase())
    ? { sessionId, isSignedOut: body.value.sessionSignedOut }
    : undefined;
}
