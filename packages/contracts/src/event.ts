import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type DomainEvent, DomainEventSchema } from './generated/relay/events/v1/events_pb.ts';

export function encodeEvent(event: DomainEvent): Uint8Array {
  return toBinary(DomainEventSchema, event);
}

/** Throws when the bytes are no protobuf. Fields of a newer release are kept and written out again. */
export function decodeEvent(bytes: Uint8Array): DomainEvent {
  return fromBinary(DomainEventSchema, bytes);
}

/** What the outbox row knows beside its payload. */
export interface Envelope {
  readonly eventId: string;
  readonly recordedAt: Date;
  /** Absent, with all that follows, for an event of many requests: its payload names them. */
  readonly userId?: string | undefined;
  /** Absent, with `refCode`, for an event that is about no request. */
  readonly requestId?: string | undefined;
  readonly refCode?: string | undefined;
  readonly seq: bigint;
}

/**
 * The bytes that are published. The payload was encoded by the writer of the row (see payload.ts) and is
 * appended as it is: protobuf defines the concatenation of two encoded messages as their merge.
 */
export function sealEvent(envelope: Envelope, payload: Uint8Array): Uint8Array {
  const { eventId, recordedAt, userId = '', requestId = '', refCode = '', seq } = envelope;
  const outside = encodeEvent(
    create(DomainEventSchema, {
      eventId,
      recordedAt: timestampFromDate(recordedAt),
      userId,
      requestId,
      refCode,
      seq,
    }),
  );
  const sealed = new Uint8Array(outside.length + payload.length);
  sealed.set(outside);
  sealed.set(payload, outside.length);
  return sealed;
}
