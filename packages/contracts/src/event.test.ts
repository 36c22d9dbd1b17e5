import { randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import { decodeEvent, type Envelope, encodeEvent, encodePublished } from './event.ts';
import { endReasonName, roleName, typeOfCase } from './event-names.ts';
import {
  DomainEventSchema,
  EndReason,
  NewRequestSchema,
  Role,
} from './generated/relay/events/v1/events_pb.ts';
import {
  credentialRevokedEvent,
  keyExchangeEvent,
  newMessageEvent,
  newRequestEvent,
  requestClosedEvent,
  requestTriagedEvent,
} from './payload.ts';

const envelope: Envelope = {
  eventId: randomUUID(),
  recordedAt: new Date('2025-06-01T12:34:56.789Z'),
  userId: randomUUID(),
  requestId: 'AAAAAAAAAAAAAAAAAAAAAA',
  refCode: '7K3M9PQX',
  seq: 9_007_199_254_740_993n,
};

describe('an event that is encoded from its row and decoded', () => {
  const events = [
    { ...newRequestEvent({ question: 'Is it safe? 🙂' }), value: { question: 'Is it safe? 🙂' } },
    { ...newRequestEvent({ question: '\ufeffwell' }), value: { question: '\ufeffwell' } },
    { ...newRequestEvent({ question: null }), value: { question: '' } },
    { ...keyExchangeEvent(), value: {} },
    {
      ...newMessageEvent({ role: 'provider', messageId: 'A-1' }),
      value: { role: Role.PROVIDER, messageId: 'A-1' },
    },
    { ...requestClosedEvent({ reason: 'expired' }), value: { reason: EndReason.EXPIRED } },
    { ...requestTriagedEvent(), value: {} },
    {
      ...credentialRevokedEvent({ apiKeyId: 'k' }),
      value: { credential: { case: 'apiKeyId', value: 'k' } },
    },
    {
      ...credentialRevokedEvent({ sessionId: 's' }),
      value: { credential: { case: 'sessionId', value: 's' } },
    },
  ];

  test.each(events)('$type $value', ({ type, payload, value }) => {
    const event = decodeEvent(encodePublished(envelope, payload));
    expect(event).toMatchObject({
      eventId: envelope.eventId,
      userId: envelope.userId,
      requestId: envelope.requestId,
      refCode: envelope.refCode,
      seq: envelope.seq,
    });
    expect(event.recordedAt && timestampDate(event.recordedAt)).toEqual(envelope.recordedAt);
    expect(event.event.case && typeOfCase[event.event.case]).toBe(type);
    expect(event.event.value).toMatchObject(value);
  });

  test('every type of event is tested', () => {
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(Object.values(typeOfCase)));
  });

  test('appending the payload gives the same bytes as encoding the whole event', () => {
    const together = decodeEvent(encodePublished(envelope, new Uint8Array()));
    together.event = { case: 'newRequest', value: create(NewRequestSchema, { question: 'Why?' }) };
    expect(encodePublished(envelope, newRequestEvent({ question: 'Why?' }).payload)).toEqual(
      encodeEvent(together),
    );
  });

  test('an event about no request has neither id nor ref code', () => {
    const about = { eventId: 'e', recordedAt: new Date(0), userId: 'u', seq: 0n };
    const event = decodeEvent(encodePublished(about, credentialRevokedEvent({ apiKeyId: 'k' }).payload));
    expect(event).toMatchObject({ requestId: '', refCode: '', seq: 0n });
  });
});

describe('an event of a newer release', () => {
  // Field 16, a member of the oneof that does not exist yet, and field 99 with a text.
  const newer = Buffer.from([0x82, 0x01, 2, 0x08, 0x01, 0x9a, 0x06, 3, ...Buffer.from('new')]);

  test('is decoded without a type, and written out with all its fields', () => {
    const event = decodeEvent(encodePublished(envelope, newer));
    expect(event.event.case).toBeUndefined();
    expect(event.eventId).toBe(envelope.eventId);
    expect(Buffer.from(encodeEvent(event)).includes(newer)).toBe(true);
  });

  test('has no name for a role or a reason that this release does not know', () => {
    expect([roleName(Role.CONSUMER), roleName(Role.PROVIDER)]).toEqual(['consumer', 'provider']);
    expect([endReasonName(EndReason.CLOSED), endReasonName(EndReason.EXPIRED)]).toEqual([
      'closed',
      'expired',
    ]);
    expect(roleName(7 as Role)).toBeUndefined();
    expect(endReasonName(EndReason.UNSPECIFIED)).toBeUndefined();
  });
});

test('bytes that are not an event are an error', () => {
  const whole = toBinary(DomainEventSchema, create(DomainEventSchema, { eventId: 'some id' }));
  expect(() => decodeEvent(whole.subarray(0, -2))).toThrow();
});

test('a text that is no UTF-8 is refused', () => {
  const { payload } = newRequestEvent({ question: 'xy' });
  const broken = Buffer.from(payload);
  broken[broken.indexOf('xy')] = 0xff;
  expect(() => decodeEvent(broken)).toThrow(/UTF-8|encoded data/i);
});
