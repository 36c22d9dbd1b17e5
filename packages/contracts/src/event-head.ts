import { type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { type EventType, typeOfCase } from './event-type.ts';
import { type DomainEvent, DomainEventSchema } from './generated/relay/events/v1/events_pb.ts';

type Body = DomainEvent['event'];

/**
 * Whom an event concerns and where it stands, with its body still encoded. Most who read the stream look no
 * further, and this takes a fifth of the time of `decodeEvent`.
 */
export interface EventHead {
  readonly eventId: string;
  readonly userId: string;
  readonly requestId: string;
  readonly refCode: string;
  readonly seq: number;
  /** Undefined for an event of a newer release. */
  readonly type: EventType | undefined;
  readonly encoded: { readonly recordedAt: Uint8Array; readonly body: Uint8Array };
}

interface BodyField {
  readonly name: NonNullable<Body['case']>;
  readonly type: EventType;
  readonly schema: DescMessage;
}

const { field } = DomainEventSchema;
const [eventIdNumber, recordedAtNumber, userIdNumber] = [
  field.eventId.number,
  field.recordedAt.number,
  field.userId.number,
];
const [requestIdNumber, refCodeNumber, seqNumber] = [
  field.requestId.number,
  field.refCode.number,
  field.seq.number,
];
const bodies = new Map<number, BodyField>(
  Object.entries(typeOfCase).map(([name, type]) => {
    const { number, message } = field[name as BodyField['name']];
    if (!message) throw new Error(`The event ${name} is no message in proto/.`);
    return [number, { name: name as BodyField['name'], type, schema: message }];
  }),
);
const bodyOfType = new Map([...bodies.values()].map((body) => [body.type, body]));
const nothing: Uint8Array = new Uint8Array();

/** Throws when the bytes are no protobuf. */
export function readHead(bytes: Uint8Array): EventHead {
  const reader = new BinaryReader(bytes);
  let [eventId, userId, requestId, refCode, seq] = ['', '', '', '', 0];
  let type: EventType | undefined;
  let [recordedAt, body] = [nothing, nothing];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited) {
      // Spelled out: a table of fields takes three times as long.
      if (number === eventIdNumber) eventId = reader.string();
      else if (number === recordedAtNumber) recordedAt = reader.bytes();
      else if (number === userIdNumber) userId = reader.string();
      else if (number === requestIdNumber) requestId = reader.string();
      else if (number === refCodeNumber) refCode = reader.string();
      else if (bodies.has(number)) {
        type = bodies.get(number)?.type;
        body = reader.bytes();
      } else reader.skip(wireType, number);
    } else if (number === seqNumber && wireType === WireType.Varint) seq = Number(reader.uint64());
    else reader.skip(wireType, number);
  }
  return { eventId, userId, requestId, refCode, seq, type, encoded: { recordedAt, body } };
}

/** What happened, decoded. */
export function readBody({ type, encoded }: EventHead): Body {
  const body = type === undefined ? undefined : bodyOfType.get(type);
  if (!body) return { case: undefined };
  return { case: body.name, value: fromBinary(body.schema, encoded.body) } as Body;
}

/** When it was recorded, in milliseconds with their fractions; undefined when it does not say. */
export function readTime({ encoded }: EventHead): number | undefined {
  if (encoded.recordedAt.length === 0) return undefined;
  const { seconds, nanos } = fromBinary(TimestampSchema, encoded.recordedAt);
  return Number(seconds) * 1_000 + nanos / 1e6;
}
