import type { Postgres } from '@expert-relay/db';
import { type ClaimedDelivery, claimForWebhooks, perUser, webhookSlots } from './claim-for-webhooks.ts';
import type { DeliveryQueue, Job } from './deliverer.ts';
import type { Attempt } from './record-attempt.ts';
import { createUserSlots } from './user-slots.ts';

/** Sends one delivery. It rejects only after a fault of this service. */
export type SendWebhook = (delivery: ClaimedDelivery) => Promise<Omit<Attempt, 'durationMs'>>;

/** The deliveries to webhooks. */
export function createWebhookQueue(options: {
  database: Pick<Postgres, 'transact'>;
  send: SendWebhook;
}): DeliveryQueue {
  const { database, send } = options;
  /** Attempts that this process may begin, to healthy endpoints and to slow or failing ones. */
  const free = { ...webhookSlots };
  const users = { healthy: createUserSlots(perUser.healthy), slow: createUserSlots(perUser.slow) };

  return {
    name: 'webhooks',
    minPauseMs: 0,
    hasFreeSlots: () => free.healthy > 0 || free.slow > 0,
    async claim() {
      const busyUsers = { healthy: users.healthy.busy(), slow: users.slow.busy() };
      const claimed = await claimForWebhooks(database, { ...free, busyUsers });
      return claimed.map((delivery): Job => {
        const kind = delivery.isSlow ? 'slow' : 'healthy';
        free[kind]--;
        users[kind].take(delivery.userId);
        return {
          endpointId: delivery.endpointId,
          deliveries: [delivery],
          send: () => send(delivery),
          release() {
            free[kind]++;
            users[kind].release(delivery.userId);
          },
        };
      });
    },
  };
}
