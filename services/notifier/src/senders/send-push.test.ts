import { createECDH, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createTargetSealer } from '../endpoints/seal.ts';
import { requestDelivery } from '../testing/request-delivery.ts';
import { endpointKeys } from '../testing/test-database.ts';
import { createSendPush, type PushKeys, parsePushKeys } from './send-push.ts';

const endpointId = '00000000-0000-4000-8000-000000000001';
const sealer = createTargetSealer(endpointKeys);
const newKeys = (): PushKeys => parsePushKeys([randomBytes(32).toString('base64url')])[0] as PushKeys;

function send(pushKey: string, keys: readonly PushKeys[], statusCode = 201) {
  const browser = createECDH('prime256v1');
  const p256dh = browser.generateKeys('base64url');
  const target = {
    endpoint: 'https://push.example/1',
    keys: { p256dh, auth: Buffer.alloc(16).toString('base64url') },
    pushKey,
  };
  const post = async () => ({ ...(statusCode > 299 && { reason: 'refused' as const }), statusCode });
  const sendPush = createSendPush({
    sealer,
    post,
    isPushHost: () => true,
    subject: 'mailto:a@example.com',
    keys,
  });
  return sendPush({
    id: 'msg_1',
    channel: 'push',
    endpointId,
    userId: endpointId,
    deliveries: [requestDelivery],
    ...sealer.seal(endpointId, target),
  });
}

test.each([
  ['is delivered', 201, {}],
  ['is gone', 410, { reason: 'refused', ends: 'endpoint' }],
  ['gets too much', 413, { reason: 'refused', ends: 'deliveries' }],
  ['gets 429', 429, { reason: 'refused' }],
] as const)('a subscription that %s (%i)', async (_, statusCode, expected) => {
  const keys = newKeys();
  expect(await send(keys.publicKey, [keys], statusCode)).toEqual({ ...expected, statusCode });
});

test('a subscription with a key that was removed can never be used again', async () => {
  expect(await send(newKeys().publicKey, [newKeys()])).toEqual({
    reason: 'push_key_removed',
    ends: 'endpoint',
  });
});

test.each([
  // A pair of keys that was made without its leading zero has 31 bytes.
  ['31 bytes', randomBytes(31)],
  ['33 bytes', randomBytes(33)],
  ['32 bytes that are no number of the curve', Buffer.alloc(32, 0xff)],
])('a key of %s is refused at the start', (_, bytes) => {
  expect(() => parsePushKeys([bytes.toString('base64url')])).toThrow('Each key must be 32 bytes');
});
