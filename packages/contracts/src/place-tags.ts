import { wire } from './fields.ts';
import { DomainEventSchema, RequestPlaceSchema } from './generated/relay/events/v1/events_pb.ts';

const { requests } = DomainEventSchema.field;
const { userId, requestId, refCode, seq } = RequestPlaceSchema.field;
const tag = ({ number }: { number: number }, type: number) => (number << 3) | type;

/**
 * The byte before each value in the `requests` of an event, for who writes them without this package: a statement, in
 * which the event is made of the rows that it is about.
 */
export const placeTags = {
  request: tag(requests, wire.bytes),
  userId: tag(userId, wire.bytes),
  requestId: tag(requestId, wire.bytes),
  refCode: tag(refCode, wire.bytes),
  seq: tag(seq, wire.varint),
} as const;
