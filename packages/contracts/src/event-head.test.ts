import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { appendTraceparent, decodeEvent, type Envelope, encodePublished } from './event.ts';
import { EventHead } from './event-head.ts';
import { typeOfCase } from './event-names.ts';
import {
  credentialRevokedEvent,
  keyExchangeEvent,
  newMessageEvent,
  newRequestEvent,
  requestClosedEvent,
} from './payload.ts';

const envelope: Envelope = {
  eventId: randomUUID(),
  recordedAt: new Date('2025-06-01T12:34:56.789Z'),
  userId: randomUUID(),
  requestId: 'AAAAAAAAAAAAAAAAAAAAAA',
  refCode: '7K3M9PQX',
  seq: 70_000n,
};
// Field 16, a member of the oneof that does not exist yet, and field 99 with a text.
const newer = Buffer.from([0x82, 0x01, 2, 0x08, 0x01, 0x9a, 0x06, 3, ...Buffer.from('new')]);

test.each([
  ['new_request', newRequestEvent({ question: 'Is it safe? 🙂' }).payload],
  ['what follows', newRequestEvent({ question: 'Is it?', follows: { files: 2, question: true } }).payload],
  ['an empty question', newRequestEvent({ question: null }).payload],
  ['key_exchange', keyExchangeEvent().payload],
  ['new_message', newMessageEvent({ role: 'provider', messageId: 'A-1' }).payload],
  ['request_closed', requestClosedEvent({ reason: 'expired' }).payload],
  ['a revoked key', credentialRevokedEvent({ apiKeyId: 'k' }).payload],
  ['a session that ended', credentialRevokedEvent({ sessionId: 's' }).payload],
  ['an event of a call that is traced', appendTraceparent(keyExchangeEvent().payload, '00-a-b-01')],
  ['an event of a newer release', newer],
  ['nothing', new Uint8Array()],
])('head, body and time are those of the decoded event: %s', (_, payload) => {
  const bytes = encodePublished(envelope, payload);
  const event = decodeEvent(bytes);
  const head = new EventHead(bytes);
  const { eventId, userId, requestId, refCode, traceparent } = event;
  expect(head).toMatchObject({ eventId, userId, requestId, refCode, traceparent });
  expect(head.type).toBe(event.event.case && typeOfCase[event.event.case]);
  expect(head.readBody()).toEqual(event.event);
  expect(head.readTime()).toBe(envelope.recordedAt.getTime());
});

test('the trace that was appended last is that of the event', () => {
  const traced = appendTraceparent(keyExchangeEvent().payload, 'of the call');
  expect(new EventHead(traced).traceparent).toBe('of the call');
  expect(new EventHead(appendTraceparent(traced, 'of the publish')).traceparent).toBe('of the publish');
  expect(appendTraceparent(traced, undefined)).toBe(traced);
});

test('an event about no request, without a time', () => {
  const head = new EventHead(credentialRevokedEvent({ apiKeyId: 'k' }).payload);
  expect(head).toMatchObject({ eventId: '', requestId: '', refCode: '', type: 'credential_revoked' });
  expect(head.readTime()).toBeUndefined();
});

test('a field with another kind of value is ignored', () => {
  // Field 1, a text, with a number. No release has written such a message.
  expect(new EventHead(Uint8Array.of(0x08, 5)).eventId).toBe('');
});

test('unknown fields of every kind are ignored', () => {
  // Fields 20 to 22: eight bytes, four bytes, a number of ten bytes.
  const unknown = [0xa1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0xad, 1, 1, 2, 3, 4, 0xb0, 1, ...Array(9).fill(0xff), 1];
  const bytes = Uint8Array.of(
    ...unknown,
    ...encodePublished(envelope, keyExchangeEvent().payload),
    ...unknown,
  );
  expect(decodeEvent(bytes).eventId).toBe(envelope.eventId);
  const head = new EventHead(bytes);
  expect(head).toMatchObject({ eventId: envelope.eventId, type: 'key_exchange' });
});

test('bytes that are not an event are an error', () => {
  const whole = encodePublished(envelope, newMessageEvent({ role: 'provider', messageId: 'A-1' }).payload);
  // Field 0, a kind of value that does not exist, a number without end.
  const invalid = [[2, 0], [0x0e], [0x08, ...Array(12).fill(0xff)]];
  for (const bytes of [whole.subarray(0, -3), ...invalid]) {
    expect(() => new EventHead(Uint8Array.from(bytes))).toThrow();
  }
});
