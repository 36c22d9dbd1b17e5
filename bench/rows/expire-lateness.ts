import { seedOverdue } from '../requests/seed-overdue.ts';
import type { Database } from '../stage/open-database.ts';
import { secondsUntilEnded } from './expire.ts';
import type { Row } from './row.ts';

const perSecond = 1_000;
const seconds = 30;
const goal = 2;

/** How late requests are told of that fall due one each millisecond, each by a job of its own. */
export const expireLateness: Row = {
  name: 'expire-lateness',
  onlyByName: true,
  async play(stage, { progress }) {
    const { database, user } = stage;
    progress(`${perSecond} requests fall due each second`);
    // It sweeps every six seconds: most of what happens between two sweeps is jobs.
    const worker = await stage.service('expiry-worker', { env: { RELAY_CONVERSATION_TTL: '60s' } });
    const before = await worker.usage();
    const rows = { count: perSecond * seconds, dueIn: 8, apart: 1_000 / perSecond };
    await secondsUntilEnded(database, await seedOverdue(database, user.userId, rows));
    const { cpu } = await worker.usage();
    const ends = await readEnds(database);
    const [late] = await database.query<{ median: number; p99: number; max: number }>(latenessText, [
      ends.map(({ id }) => id),
      ends.map(({ at }) => at),
    ]);
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
    SELECT extract(epoch FROM at - expires_at)::float8 AS late
    FROM help_requests JOIN unnest($1::text[], $2::timestamptz[]) AS ended (id, at) USING (id)
  ) AS told`;

/** When the end of each request was recorded; one event tells of hundreds. */
async function readEnds(database: Database): Promise<{ id: string; at: Date }[]> {
  // Not built yet when this file is loaded.
  const { EventHead } = await import('@expert-relay/contracts');
  const rows = await database.query<{ payload: Buffer; at: Date }>(
    `SELECT payload, recorded_at AS at FROM outbox_events WHERE type = 'request_closed'`,
  );
  return rows.flatMap(({ payload, at }) =>
    new EventHead(payload).requests.map(({ requestId: id }) => ({ id, at })),
  );
}
