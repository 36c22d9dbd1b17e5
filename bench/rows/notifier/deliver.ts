import { setTimeout as pause } from 'node:timers/promises';
import { directSubject, type Subject } from '../../measure/subject.ts';
import { ratioRow } from '../row.ts';
import { addWebhook, insertDue } from './webhooks.ts';

const webhooks = 20;

interface Drained {
  readonly left: number;
  readonly seconds: number;
}
const drainedText = `
  SELECT count(*) FILTER (WHERE state <> 'delivered')::int AS left,
    extract(epoch FROM max(ended_at) - min(ended_at))::float8 AS seconds
  FROM notification_deliveries`;

/** Deliveries to a receiver that works: claimed, signed, sent on a connection of its own, and recorded. */
export const deliver = ratioRow({
  name: 'deliver',
  goal: 0.3,
  count: 3_000,
  async open(environment) {
    const { database } = environment;
    const notifier = await environment.service('notifier');
    const receiver = await environment.program('receiver');
    const url = await receiver.call<string>('open');
    const gateway = await environment.service('gateway');
    const ids: string[] = [];
    for (let n = 0; n < webhooks; n++) ids.push(await addWebhook(environment, gateway, url));

    const measured: Subject = {
      name: `deliveries of one notifier, ${webhooks} webhooks of a user`,
      processes: [notifier],
      async run(count) {
        await database.query('DELETE FROM notification_deliveries');
        await insertDue(environment, ids, count);
        for (;;) {
          await pause(100);
          const [drained] = await database.query<Drained>(drainedText);
          if (drained?.left === 0)
            return { seconds: drained.seconds, cpuSeconds: 0, outcomes: { done: count } };
        }
      },
    };
    const bare = await environment.program('direct-post', { BENCH_RECEIVER_URL: url });
    return { measured, baseline: directSubject('bare POSTs by node:http, nothing recorded', bare) };
  },
});
