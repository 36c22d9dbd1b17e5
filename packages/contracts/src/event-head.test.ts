import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { decodeEvent, type Envelope, sealEvent } from './event.ts';
import { readBody, readHead, readTime } from './event-head.ts';
import { eventType } from './event-type.ts';
import {
  credentialRevokedPayload,
  keyExchangePayload,
  newMessagePayload,
  newRequestPayload,
  requestClosedPayload,
} from './payload.ts';

const envelope: Envelope = {
  eventId: randomUUID(),
  recordedAt: new Date('2025-06-01T12:34:56.789Z'),
  userId: randomUUID(),
  requestId: 'AAAAAAAAAAAAAAAAAAAAAA',
  refCode: '7K3M9PQX',
  seq: 70_000n,
};
// Field 15, a member of the oneof that does not exist yet, and field 99 with a text.
const newer = Buffer.from([(15 << 3) | 2, 2, 0x08, 0x01, 0x9a, 0x06, 3, ...Buffer.from('new')]);

test.each([
  ['new_request', newRequestPayload({ question: 'Is it safe? 🙂' })],
  ['an empty question', newRequestPayload({ question: null })],
  ['key_exchange', keyExchangePayload()],
  ['new_message', newMessagePayload({ role: 'provider', messageId: 'A-1' })],
  ['request_closed', requestClosedPayload({ reason: 'expired' })],
  ['a revoked key', credentialRevokedPayload({ apiKeyId: 'k' })],
  ['a session that ended', credentialRevokedPayload({ sessionId: 's' })],
  ['an event of a newer release', newer],
  ['nothing', new Uint8Array()],
])('head, body and time say what the whole event says: %s', (_, payload) => {
  const bytes = sealEvent(envelope, payload);
  const event = decodeEvent(bytes);
  const head = readHead(bytes);
  const { eventId, userId, requestId, refCode } = event;
  expect(head).toMatchObject({ eventId, userId, requestId, refCode, seq: Number(event.seq) });
  expect(head.type).toBe(eventType(event));
  expect(readBody(head)).toEqual(event.event);
  expect(readTime(head)).toBe(envelope.recordedAt.getTime());
});

test('an event about no request, without a time', () => {
  const head = readHead(credentialRevokedPayload({ apiKeyId: 'k' }));
  expect(head).toMatchObject({ eventId: '', requestId: '', refCode: '', seq: 0, type: 'credential_revoked' });
  expect(readTime(head)).toBeUndefined();
});

test('a field that came with another kind of value is passed over', () => {
  // Fields 1 and 6 with the kinds of each other, as no release ever wrote them.
  expect(readHead(Uint8Array.of(0x08, 5, 0x32, 1, 65))).toMatchObject({ eventId: '', seq: 0 });
});

test('bytes that are no event are refused', () => {
  const whole = sealEvent(envelope, keyExchangePayload());
  expect(() => readHead(whole.subarray(0, -3))).toThrow();
});
