import { randomBytes, randomUUID } from 'node:crypto';
import {
  credentialRevokedEvent,
  type EventType,
  encodePublished,
  keyExchangeEvent,
  type NewEvent,
  newMessageEvent,
  newRequestEvent,
  requestClosedEvent,
} from '@expert-relay/contracts';

/** An event as the outbox publisher would publish it. */
export interface TestEvent {
  readonly type: EventType;
  readonly eventId: string;
  readonly bytes: Uint8Array;
}

const makeUserId = (): string => randomUUID();
const makeRequestId = (): string => randomBytes(16).toString('base64url');

/** The events of one request, each with the next `seq`. */
export class RequestEvents {
  readonly requestId = makeRequestId();
  readonly refCode = 'HS-01234567';
  readonly userId: string;
  readonly topic = `/svc/requests/${this.requestId}`;
  readonly activityTopic: string;
  readonly providerTopic: string;
  /** When its next events are recorded; undefined for now. */
  recordedAt: Date | undefined;
  #seq = 0n;

  constructor(userId = makeUserId()) {
    this.userId = userId;
    this.providerTopic = `/svc/providers/${userId}`;
    this.activityTopic = `/svc/providers/${userId}/activity`;
  }

  newRequest(question: string | null = 'Why?'): TestEvent {
    return this.#next(newRequestEvent({ question }));
  }

  keyExchange(): TestEvent {
    return this.#next(keyExchangeEvent());
  }

  newMessage(messageId: string = randomUUID(), role: 'consumer' | 'provider' = 'provider'): TestEvent {
    return this.#next(newMessageEvent({ role, messageId }));
  }

  closed(reason: 'closed' | 'expired' = 'closed'): TestEvent {
    return this.#next(requestClosedEvent({ reason }));
  }

  #next(event: NewEvent): TestEvent {
    this.#seq++;
    const { userId, requestId, refCode, recordedAt = new Date() } = this;
    return makeEvent(event, { userId, requestId, refCode, seq: this.#seq, recordedAt });
  }
}

export function revoked(
  by: Parameters<typeof credentialRevokedEvent>[0],
  recordedAt = new Date(),
  userId = makeUserId(),
): TestEvent {
  return makeEvent(credentialRevokedEvent(by), { userId, seq: 0n, recordedAt });
}

function makeEvent(
  { type, payload }: NewEvent,
  about: { userId: string; requestId?: string; refCode?: string; seq: bigint; recordedAt: Date },
): TestEvent {
  const eventId = randomUUID();
  return {
    type,
    eventId,
    bytes: encodePublished({ ...about, eventId }, payload),
  };
}
