import { randomBytes } from 'node:crypto';
import { systemClock } from '@expert-relay/kit/clock';
import { eventually, hostileReceivers } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { createTargetSealer, type Targets } from '../endpoints/seal.ts';
import { createAddressRules } from '../outbound/address-rules.ts';
import { createPost } from '../outbound/post.ts';
import { createResolve } from '../outbound/resolve.ts';
import { requestDelivery } from '../testing/request-delivery.ts';
import { startTcpServer } from '../testing/tcp-server.ts';
import { endpointKeys } from '../testing/test-database.ts';
import { createSendChat } from './send-chat.ts';
import { createSendPush, parsePushKeys } from './send-push.ts';
import { createSendWebhook } from './send-webhook.ts';

/* Every sender over http, and every hostile receiver. */

const sealer = createTargetSealer(endpointKeys);
const endpointId = '00000000-0000-4000-8000-000000000001';
const post = createPost({
  rules: createAddressRules(['127.0.0.0/8']),
  resolve: createResolve(),
  deadlineMs: 1_500,
});
const [pushKeys] = parsePushKeys([Buffer.alloc(32, 3).toString('base64url')]);
const publicUrl = 'https://relay.example';

const notice = (channel: 'push' | 'chat', target: Targets['push' | 'chat']) => ({
  id: 'msg_1',
  channel,
  endpointId,
  userId: endpointId,
  deliveries: [requestDelivery],
  ...sealer.seal(endpointId, target),
});

const senders: Readonly<Record<string, (url: string) => Promise<{ reason?: string }>>> = {
  webhook: (url) =>
    createSendWebhook({ sealer, post, clock: systemClock })({
      ...requestDelivery,
      isSlow: false,
      eventAt: '2026-11-23T09:05:00.000Z',
      messageId: null,
      endpointId,
      userId: endpointId,
      ...sealer.seal(endpointId, { url, secret: `whsec_${'A'.repeat(44)}` }),
    }),
  chat: (url) => createSendChat({ sealer, post, publicUrl })(notice('chat', { url })),
  push(url) {
    if (!pushKeys) throw new Error('there are no keys');
    const options = { sealer, post, isPushHost: () => true, keys: [pushKeys], subject: publicUrl };
    const keys = { p256dh: pushKeys.publicKey, auth: randomBytes(16).toString('base64url') };
    return createSendPush(options)(notice('push', { endpoint: url, keys, pushKey: pushKeys.publicKey }));
  },
};

test.each(Object.entries(hostileReceivers))(
  'a receiver that %s costs webhook, chat and push a limited time',
  async (_, { serve, reason }) => {
    for (const [name, send] of Object.entries(senders)) {
      await using receiver = await startTcpServer((socket) => serve(socket.resume()));
      const { reason: actual = null } = await send(`http://127.0.0.1:${receiver.port}/hook`);
      expect([name, actual]).toEqual([name, reason]);
      await eventually('the connection is closed', () => receiver.sockets.size === 0);
    }
  },
);
