import { FieldReader, wireTypes } from './field-reader.ts';
import { DomainEventSchema, EventRequestSchema } from './generated/relay/events/v1/events_pb.ts';

/** A request that an event is about, and the number of the event among that request's events. */
export interface AboutRequest {
  readonly userId: string;
  readonly requestId: string;
  readonly refCode: string;
  readonly seq: number;
}

const { requests } = DomainEventSchema.field;
const { userId, requestId, refCode, seq } = EventRequestSchema.field;
// Read once, since this code runs for each event in each hub process.
const [userIdNumber, requestIdNumber] = [userId.number, requestId.number];
const [refCodeNumber, seqNumber] = [refCode.number, seq.number];

/** Reads one of the `requests` of an event about many requests. A sweep puts hundreds into one event. */
export function readAboutRequest(bytes: Uint8Array): AboutRequest {
  const fields = new FieldReader(bytes);
  const about = { userId: '', requestId: '', refCode: '', seq: 0 };
  while (fields.next()) {
    const { number, type } = fields;
    if (type === wireTypes.bytes) {
      if (number === userIdNumber) about.userId = fields.text;
      else if (number === requestIdNumber) about.requestId = fields.text;
      else if (number === refCodeNumber) about.refCode = fields.text;
    } else if (number === seqNumber && type === wireTypes.varint) about.seq = fields.value;
  }
  return about;
}

const tag = ({ number }: { number: number }, type: number) => (number << 3) | type;

/** The tag bytes of the `requests` of an event, for SQL statements that encode them from rows. */
export const aboutRequestTags = {
  request: tag(requests, wireTypes.bytes),
  userId: tag(userId, wireTypes.bytes),
  requestId: tag(requestId, wireTypes.bytes),
  refCode: tag(refCode, wireTypes.bytes),
  seq: tag(seq, wireTypes.varint),
} as const;
