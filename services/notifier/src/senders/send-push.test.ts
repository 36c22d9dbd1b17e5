import { createECDH } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createTargetSealer } from '../endpoints/seal.ts';
import { requestDelivery } from '../testing/request-delivery.ts';
import { endpointKeys } from '../testing/test-database.ts';
import { createSendPush, parsePushKeys } from './send-push.ts';

const endpointId = '00000000-0000-4000-8000-000000000001';
const sealer = createTargetSealer(endpointKeys);
const newKey = () => {
  const pair = createECDH('prime256v1');
  return { publicKey: pair.generateKeys('base64url'), privateKey: pair.getPrivateKey('base64url') };
};

function send(pushKey: string, keys: readonly string[], statusCode = 201) {
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
    keys: parsePushKeys(keys),
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
  const { publicKey, privateKey } = newKey();
  expect(await send(publicKey, [privateKey], statusCode)).toEqual({ ...expected, statusCode });
});

test('a subscription with a key that was removed can never be used again', async () => {
  const { publicKey } = newKey();
  expect(await send(publicKey, [newKey().privateKey])).toEqual({
    reason: 'push_key_removed',
    ends: 'endpoint',
  });
});
