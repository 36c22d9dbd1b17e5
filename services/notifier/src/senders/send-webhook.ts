import type { Clock } from '@expert-relay/kit/clock';
import type { SendWebhook } from '../deliveries/webhook-queue.ts';
import type { TargetSealer } from '../endpoints/seal.ts';
import type { Post } from '../outbound/post.ts';
import { signedHeaders } from '../signatures/sign.ts';
import { webhookBody } from './webhook-body.ts';

const gone = 410;

export const createSendWebhook =
  ({ sealer, post, clock }: { sealer: TargetSealer; post: Post; clock: Clock }): SendWebhook =>
  async (delivery) => {
    const target = sealer.open<'webhook'>(delivery.endpointId, delivery);
    const body = webhookBody(delivery);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'expert-relay',
      ...signedHeaders({ id: delivery.id, body }, target, clock.now()),
    };
    const result = await post(target.url, headers, body);
    return { ...result, ...(result.statusCode === gone && { ends: 'endpoint' }) };
  };
