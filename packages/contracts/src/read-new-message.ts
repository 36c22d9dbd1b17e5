import { Fields, wire } from './fields.ts';
import { type NewMessage, NewMessageSchema, Role } from './generated/relay/events/v1/events_pb.ts';

const { typeName: $typeName, field } = NewMessageSchema;
const [roleNumber, messageIdNumber] = [field.role.number, field.messageId.number];

/**
 * By far the most frequent body: every message of every conversation. protobuf's own reader takes as long for these
 * two fields as the hub for all else about an event.
 */
export function readNewMessage(bytes: Uint8Array): NewMessage {
  const fields = new Fields(bytes);
  let role = Role.UNSPECIFIED;
  let messageId = '';
  while (fields.next()) {
    if (fields.number === roleNumber && fields.type === wire.varint) role = fields.value;
    else if (fields.number === messageIdNumber && fields.type === wire.bytes) messageId = fields.text;
  }
  return { $typeName, role, messageId };
}
