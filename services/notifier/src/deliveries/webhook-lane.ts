import type { Postgres } from '@expert-relay/db';
import { type ClaimedDelivery, claimForWebhooks, perUser } from './claim-for-webhooks.ts';
import type { Job, Lane } from './deliverer.ts';
import type { Attempt } from './record-attempt.ts';

/** Sends one delivery. It rejects only after a fault of this service. */
export type SendWebhook = (delivery: ClaimedDelivery) => Promise<Omit<Attempt, 'durationMs'>>;

/** The deliveries to webhooks. */
export function createWebhookLane(options: {
  database: Pick<Postgres, 'transact'>;
  send: SendWebhook;
}): Lane {
  const { database, send } = options;
  /** Attempts that this process may begin, to healthy endpoints and to slow or failing ones. */
  const free = { healthy: 48, slow: 16 };
  /** Attempts under way, by user. */
  const ofUsers = { healthy: new Map<string, number>(), slow: new Map<string, number>() };
  const count = (kind: 'healthy' | 'slow', userId: string, change: number) => {
    free[kind] -= change;
    const now = (ofUsers[kind].get(userId) ?? 0) + change;
    if (now > 0) ofUsers[kind].set(userId, now);
    else ofUsers[kind].delete(userId);
  };
  const busy = (kind: 'healthy' | 'slow') =>
    [...ofUsers[kind]].filter(([, number]) => number >= perUser[kind]).map(([userId]) => userId);

  return {
    pauseMs: 0,
    hasRoom: () => free.healthy > 0 || free.slow > 0,
    async claim() {
      const busyUsers = { healthy: busy('healthy'), slow: busy('slow') };
      const claimed = await claimForWebhooks(database, { ...free, busyUsers });
      return claimed.map((delivery): Job => {
        const kind = delivery.isSlow ? 'slow' : 'healthy';
        count(kind, delivery.userId, 1);
        return {
          endpointId: delivery.endpointId,
          deliveries: [delivery],
          send: () => send(delivery),
          release: () => count(kind, delivery.userId, -1),
        };
      });
    },
  };
}
