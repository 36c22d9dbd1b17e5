import { Fields, wire } from './fields.ts';
import { RequestPlaceSchema } from './generated/relay/events/v1/events_pb.ts';

/** The request that an event is about, and where the event stands in that request's own order. */
export interface AboutRequest {
  readonly userId: string;
  readonly requestId: string;
  readonly refCode: string;
  readonly seq: number;
}

const { field } = RequestPlaceSchema;
const [userIdNumber, requestIdNumber] = [field.userId.number, field.requestId.number];
const [refCodeNumber, seqNumber] = [field.refCode.number, field.seq.number];

/** A sweep tells of hundreds in one event, whose readers look at each of them. */
export function readRequestPlace(bytes: Uint8Array): AboutRequest {
  const fields = new Fields(bytes);
  const place = { userId: '', requestId: '', refCode: '', seq: 0 };
  while (fields.next()) {
    const { number, type } = fields;
    if (type === wire.bytes) {
      if (number === userIdNumber) place.userId = fields.text;
      else if (number === requestIdNumber) place.requestId = fields.text;
      else if (number === refCodeNumber) place.refCode = fields.text;
    } else if (number === seqNumber && type === wire.varint) place.seq = fields.value;
  }
  return place;
}
