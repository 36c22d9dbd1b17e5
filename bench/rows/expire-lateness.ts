import { seedOverdue } from '../requests/seed.ts';
import { secondsUntilEnded } from './expire.ts';
import type { Row } from './row.ts';

const perSecond = 1_000;
const seconds = 30;
const goal = 2;

/** How late requests are ended when one expires each millisecond. Each is ended by its own job. */
export const expireLateness: Row = {
  name: 'expire-lateness',
  onlyByName: true,
  async measure(environment, { progress }) {
    const { database, user } = environment;
    progress(`${perSecond} requests expire each second`);
    await environment.service('messages');
    // It sweeps every six seconds, so that most requests are ended by jobs and not by a sweep.
    const worker = await environment.service('expiry-worker', { env: { RELAY_CONVERSATION_TTL: '60s' } });
    const before = await worker.usage();
    const rows = { count: perSecond * seconds, dueIn: 8, apart: 1_000 / perSecond };
    await secondsUntilEnded(database, await seedOverdue(database, user.userId, rows));
    const { cpu } = await worker.usage();
    const [late] = await database.query<{ median: number; p99: number; max: number }>(latenessText);
    const { median = Number.NaN, p99 = Number.NaN, max = Number.NaN } = late ?? {};
    const milliseconds = (value: number) => `${(value * 1_000).toFixed(0)} ms`;
    const perRequest = ((cpu - before.cpu) / rows.count).toFixed(0);
    return [
      {
        title: `expire-lateness: at ${perSecond.toLocaleString('en')} a second`,
        note:
          `p99 ${milliseconds(p99)} (goal <= ${goal} s), median ${milliseconds(median)}, most ${milliseconds(max)}; ` +
          `CPU of the worker ${perRequest} us a request`,
      },
    ];
  },
};

const latenessText = `
  SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY late) AS median,
    percentile_cont(0.99) WITHIN GROUP (ORDER BY late) AS p99, max(late) AS max
  FROM (
    SELECT extract(epoch FROM recorded_at - expires_at)::float8 AS late
    FROM help_requests JOIN outbox_events ON request_id = help_requests.id AND type = 'request_closed'
  ) AS lateness`;
