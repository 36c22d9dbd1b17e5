import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import './text-encoding.ts';
import { type DomainEvent, DomainEventSchema } from './generated/relay/events/v1/events_pb.ts';

export function encodeEvent(event: DomainEvent): Uint8Array {
  return toBinary(DomainEventSchema, event);
}

/** Throws when the bytes are not protobuf. Fields of a newer release are kept and written out again. */
export function decodeEvent(bytes: Uint8Array): DomainEvent {
  return fromBinary(DomainEventSchema, bytes);
}

/** The columns of an outbox row that are published with its payload. */
export interface Envelope {
  readonly eventId: string;
  readonly recordedAt: Date;
  readonly userId: string;
  /** Absent, like `refCode`, for an event that is not about a request. */
  readonly requestId?: string | undefined;
  readonly refCode?: string | undefined;
  readonly seq: bigint;
}

/**
 * The bytes that are published. The payload was encoded when the row was written (see payload.ts) and is appended
 * unchanged: in protobuf, two encoded messages one after the other are the encoding of their merge.
 */
export function encodePublished(envelope: Envelope, payload: Uint8Array): Uint8Array {
  const { eventId, recordedAt, userId, requestId = '', refCode = '', seq } = envelope;
  const head = encodeEvent(
    create(DomainEventSchema, {
      eventId,
      recordedAt: timestampFromDate(recordedAt),
      userId,
      requestId,
      refCode,
      seq,
    }),
  );
  const bytes = new Uint8Array(head.length + payload.length);
  bytes.set(head);
  bytes.set(payload, head.length);
  return bytes;
}

/** An encoded event, or a payload, with the trace that it belongs to. In protobuf, the last value of a field counts. */
export function appendTraceparent(bytes: Uint8Array, traceparent: string | undefined): Uint8Array {
  if (traceparent === undefined) return bytes;
  return Buffer.concat([bytes, encodeEvent(create(DomainEventSchema, { traceparent }))]);
}
