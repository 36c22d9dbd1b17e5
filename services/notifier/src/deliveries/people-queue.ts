import type { Postgres } from '@expert-relay/db';
import type { PeopleChannel } from '../endpoints/channel-form.ts';
import { type ClaimedNotice, claimForPeople, noticesPerUser } from './claim-for-people.ts';
import type { DeliveryQueue, Job } from './deliverer.ts';
import type { Attempt } from './record-attempt.ts';
import { createUserSlots } from './user-slots.ts';

/** Sends one notice. It rejects only after a fault of this service. */
export type SendNotice = (notice: ClaimedNotice) => Promise<Omit<Attempt, 'durationMs'>>;

/** The deliveries to people. Emails all go to one server, so they have few slots. */
export function createPeopleQueue(options: {
  database: Pick<Postgres, 'query' | 'transact'>;
  senders: Readonly<Record<PeopleChannel, SendNotice>>;
}): DeliveryQueue {
  const { database, senders } = options;
  const free = { push: 16, email: 4, chat: 16 };
  const users = createUserSlots(noticesPerUser);

  return {
    name: 'people',
    // So that people cost webhooks nothing, of which there may be hundreds a second.
    minPauseMs: 200,
    hasFreeSlots: () => Object.values(free).some((slots) => slots > 0),
    async claim() {
      const claimed = await claimForPeople(database, { ofChannels: free, busyUsers: users.busy() });
      return claimed.map((notice): Job => {
        const { channel, userId, endpointId, deliveries } = notice;
        free[channel]--;
        users.take(userId);
        return {
          endpointId,
          deliveries,
          send: () => senders[channel](notice),
          async recorded({ reason, ends }) {
            // A subscription that its push service does not know any more is of no use to its owner either. One of a push key that
            // was removed stays: a page that finds its channel there subscribes again, and without it unsubscribes.
            if (channel === 'push' && ends === 'endpoint' && reason === 'refused')
              await database.query`DELETE FROM notification_endpoints WHERE id = ${endpointId}::uuid AND off_reason = 'gone'`;
          },
          release() {
            free[channel]++;
            users.release(userId);
          },
        };
      });
    },
  };
}
