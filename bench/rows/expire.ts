import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../environment/database.ts';
import { seedOverdue } from '../requests/seed.ts';
import type { Row } from './row.ts';

const count = 10_000;
const goal = 800;

/** How fast sweeps end overdue requests. They pace themselves for the sake of other calls: see the row `latency`. */
export const expire: Row = {
  name: 'expire',
  async measure(environment, { progress }) {
    const { database, user } = environment;
    await environment.service('messages');
    await database.waitForOutboxLeader();
    progress(`writing ${count.toLocaleString('en')} overdue requests`);
    const last = await seedOverdue(database, user.userId, { count, dueIn: -3_600, apart: 0.1 });
    progress('sweeps');
    const worker = await environment.service('expiry-worker');
    const before = await worker.usage();
    const perSecond = count / (await secondsUntilEnded(database, last));
    const { cpu } = await worker.usage();
    return [
      {
        title: 'expire: sweeps over overdue requests',
        note:
          `${perSecond.toFixed(0)} a second (goal >= ${goal}: ${perSecond >= goal ? 'met' : 'MISSED'}); ` +
          `CPU of the worker ${((cpu - before.cpu) / count).toFixed(0)} us a request`,
      },
    ];
  },
};

/** Seconds from the beginning of the first batch until the request that expires last has ended. */
async function secondsUntilEnded(database: Database, last: string): Promise<number> {
  const ended = `SELECT 1 FROM help_requests WHERE id = $1 AND status = 'expired'`;
  while ((await database.query(ended, [last])).length === 0) await pause(10);
  const [row] = await database.query<{ seconds: number }>(
    `SELECT extract(epoch FROM clock_timestamp() - min(recorded_at))::float8 AS seconds
     FROM outbox_events WHERE type = 'request_closed'`,
  );
  return row?.seconds ?? Number.NaN;
}
