import { FieldReader, wireTypes } from './field-reader.ts';
import { DomainEventSchema, RequestPlaceSchema } from './generated/relay/events/v1/events_pb.ts';

/** A request that an event is about, and the event's position in that request's own order. */
export interface AboutRequest {
  readonly userId: string;
  readonly requestId: string;
  readonly refCode: string;
  readonly seq: number;
}

const { requests } = DomainEventSchema.field;
const { userId, requestId, refCode, seq } = RequestPlaceSchema.field;
// Read once: this code runs for each event in each hub process.
const [userIdNumber, requestIdNumber] = [userId.number, requestId.number];
const [refCodeNumber, seqNumber] = [refCode.number, seq.number];

/** Reads one of the `requests` of a shared event. An expiry sweep puts hundreds into one event. */
export function readRequestPlace(bytes: Uint8Array): AboutRequest {
  const fields = new FieldReader(bytes);
  const place = { userId: '', requestId: '', refCode: '', seq: 0 };
  while (fields.next()) {
    const { number, type } = fields;
    if (type === wireTypes.bytes) {
      if (number === userIdNumber) place.userId = fields.text;
      else if (number === requestIdNumber) place.requestId = fields.text;
      else if (number === refCodeNumber) place.refCode = fields.text;
    } else if (number === seqNumber && type === wireTypes.varint) place.seq = fields.value;
  }
  return place;
}

const tag = ({ number }: { number: number }, type: number) => (number << 3) | type;

/** The tag bytes of the `requests` of an event, for SQL statements that encode them from rows. */
export const requestPlaceTags = {
  request: tag(requests, wireTypes.bytes),
  userId: tag(userId, wireTypes.bytes),
  requestId: tag(requestId, wireTypes.bytes),
  refCode: tag(refCode, wireTypes.bytes),
  seq: tag(seq, wireTypes.varint),
} as const;
