import { type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import './text-encoding.ts';
import { type EventType, typeOfCase } from './event-names.ts';
import { FieldReader, wireTypes } from './field-reader.ts';
import {
  type DomainEvent,
  DomainEventSchema,
  type NewMessage,
  NewMessageSchema,
  Role,
} from './generated/relay/events/v1/events_pb.ts';

type Body = DomainEvent['event'];

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
const [requestIdNumber, refCodeNumber] = [field.requestId.number, field.refCode.number];
const traceparentNumber = field.traceparent.number;
const bodies = new Map<number, BodyField>(
  Object.entries(typeOfCase).map(([name, type]) => {
    const { number, message } = field[name as BodyField['name']];
    if (!message) throw new Error(`The event ${name} is not a message in proto/.`);
    return [number, { name: name as BodyField['name'], type, schema: message }];
  }),
);

/**
 * The user and the request of an event. The rest is decoded when it is read:
 * most receivers of the stream do not need it. This takes 0.8 us, with time and body 3.6 us, and `decodeEvent` 10.6 us: with it, the hub
 * needs 6.6 s of CPU in place of 4.1 s for the 200,000 events of the row `resume` of bench, whose goal is 5 s.
 */
export class EventHead {
  readonly #bytes: Buffer;
  readonly userId: string = '';
  /** Empty for an event that is not about a request. */
  readonly requestId: string = '';
  readonly #body: BodyField | undefined;
  // The byte ranges of the other fields.
  #idStart = 0;
  #idEnd = 0;
  #timeStart = 0;
  #timeEnd = 0;
  #refCodeStart = 0;
  #refCodeEnd = 0;
  #bodyStart = 0;
  #bodyEnd = 0;
  #traceStart = 0;
  #traceEnd = 0;

  /** Throws when the bytes are not protobuf. */
  constructor(bytes: Uint8Array) {
    const fields = new FieldReader(bytes);
    this.#bytes = fields.bytes;
    while (fields.next()) {
      const { number, type, start, end } = fields;
      // Comparisons one by one, since a table of fields takes three times as long.
      if (type === wireTypes.bytes) {
        if (number === eventIdNumber) {
          this.#idStart = start;
          this.#idEnd = end;
        } else if (number === recordedAtNumber) {
          this.#timeStart = start;
          this.#timeEnd = end;
        } else if (number === userIdNumber) this.userId = fields.text;
        else if (number === requestIdNumber) this.requestId = fields.text;
        else if (number === refCodeNumber) {
          this.#refCodeStart = start;
          this.#refCodeEnd = end;
        } else if (number === traceparentNumber) {
          this.#traceStart = start;
          this.#traceEnd = end;
        } else if (bodies.has(number)) {
          this.#body = bodies.get(number);
          this.#bodyStart = start;
          this.#bodyEnd = end;
        }
      }
    }
  }

  get eventId(): string {
    return this.#text(this.#idStart, this.#idEnd);
  }

  get refCode(): string {
    return this.#text(this.#refCodeStart, this.#refCodeEnd);
  }

  /** Of the span that caused it; empty when it is not traced. */
  get traceparent(): string {
    return this.#text(this.#traceStart, this.#traceEnd);
  }

  /** Undefined for an event of a newer release. */
  get type(): EventType | undefined {
    return this.#body?.type;
  }

  /** The `oneof event`, decoded. */
  readBody(): Body {
    const body = this.#body;
    if (!body) return { case: undefined };
    const bytes = this.#bytes.subarray(this.#bodyStart, this.#bodyEnd);
    if (body.name === 'newMessage') return { case: body.name, value: readNewMessage(bytes) };
    return { case: body.name, value: fromBinary(body.schema, bytes) } as Body;
  }

  /** When it was recorded, in milliseconds with fractions; undefined when that is absent. */
  readTime(): number | undefined {
    if (this.#timeStart === this.#timeEnd) return undefined;
    const bytes = this.#bytes.subarray(this.#timeStart, this.#timeEnd);
    const { seconds, nanos } = fromBinary(TimestampSchema, bytes);
    return Number(seconds) * 1_000 + nanos / 1e6;
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString('utf8', start, end);
  }
}

const { field: newMessageField } = NewMessageSchema;
const [roleNumber, messageIdNumber] = [newMessageField.role.number, newMessageField.messageId.number];

/**
 * Reads the most frequent body. The protobuf library takes as long for these two fields as the hub for everything else
 * about an event.
 */
function readNewMessage(bytes: Uint8Array): NewMessage {
  const fields = new FieldReader(bytes);
  let role = Role.UNSPECIFIED;
  let messageId = '';
  while (fields.next()) {
    if (fields.number === roleNumber && fields.type === wireTypes.varint) role = fields.value;
    else if (fields.number === messageIdNumber && fields.type === wireTypes.bytes) messageId = fields.text;
  }
  return { $typeName: NewMessageSchema.typeName, role, messageId };
}
