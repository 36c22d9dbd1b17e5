import { randomBytes, randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  credentialRevokedPayload,
  DomainEventSchema,
  type EventType,
  encodeEvent,
  encodePublished,
  keyExchangePayload,
  newMessagePayload,
  newRequestPayload,
  requestClosedPayload,
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
    return this.#next('new_request', newRequestPayload({ question }));
  }

  keyExchange(): TestEvent {
    return this.#next('key_exchange', keyExchangePayload());
  }

  newMessage(messageId: string = randomUUID(), role: 'consumer' | 'provider' = 'provider'): TestEvent {
    return this.#next('new_message', newMessagePayload({ role, messageId }));
  }

  closed(reason: 'closed' | 'expired' = 'closed'): TestEvent {
    return this.#next('request_closed', requestClosedPayload({ reason }));
  }

  #next(type: EventType, payload: Uint8Array): TestEvent {
    return makeEvent(type, { ...this.nextAbout(), recordedAt: this.recordedAt ?? new Date() }, payload);
  }

  /** The members that every event about the request has, with its next `seq`. */
  nextAbout() {
    this.#seq++;
    const { userId, requestId, refCode } = this;
    return { userId, requestId, refCode, seq: this.#seq };
  }
}

/** One event about all of these requests, as a sweep of the expiry worker makes it. */
export function expiredTogether(...requests: readonly RequestEvents[]): TestEvent {
  const abouts = requests.map((request) => request.nextAbout());
  const requestsField = encodeEvent(create(DomainEventSchema, { requests: abouts }));
  return makeEvent(
    'request_closed',
    { seq: 0n },
    Buffer.concat([requestClosedPayload({ reason: 'expired' }), requestsField]),
  );
}

export function revoked(
  by: Parameters<typeof credentialRevokedPayload>[0],
  recordedAt = new Date(),
): TestEvent {
  return makeEvent(
    'credential_revoked',
    { userId: makeUserId(), seq: 0n, recordedAt },
    credentialRevokedPayload(by),
  );
}

function makeEvent(
  type: EventType,
  about: { userId?: string; requestId?: string; refCode?: string; seq: bigint; recordedAt?: Date },
  payload: Uint8Array,
): TestEvent {
  const eventId = randomUUID();
  return {
    type,
    eventId,
    bytes: encodePublished({ recordedAt: new Date(), userId: '', ...about, eventId }, payload),
  };
}
