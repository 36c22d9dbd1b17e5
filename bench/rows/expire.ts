import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../environment/database.ts';
import type { Environment } from '../environment/environment.ts';
import { compare } from '../measure/compare.ts';
import type { Subject } from '../measure/subject.ts';
import { seedOverdue } from '../requests/seed.ts';
import type { Row } from './row.ts';
import { toLine } from './row.ts';

const count = 30_000;
const goal = 0.5;

/** A sweep over overdue requests, compared with the bare statement that writes the same rows. */
export const expire: Row = {
  name: 'expire',
  async measure(environment, { progress, rounds }) {
    const subjects = [await bareStatement(environment), await theWorker(environment)] as const;
    const results = await compare({
      subjects,
      rounds,
      count,
      afterRun: () => empty(environment.database),
      progress,
    });
    const [base, measured] = results.map(toLine);
    const reached = (measured?.ratio?.median ?? 0) >= goal;
    return [
      { ...measured, title: 'expire: a sweep', goal: { text: `>= ${goal.toFixed(2)}`, reached } },
      { ...base, title: '  / the bare UPDATE and INSERT in batches' },
    ];
  },
};

async function theWorker(environment: Environment): Promise<Subject> {
  const { database, user } = environment;
  // It sweeps twice a second.
  const worker = await environment.service('expiry-worker', { env: { RELAY_CONVERSATION_TTL: '1s' } });
  return {
    name: 'a sweep',
    processes: [worker],
    async run(requests) {
      const last = await seedOverdue(database, user.userId, { count: requests, dueIn: -3_600, apart: 0.1 });
      return {
        seconds: await secondsUntilEnded(database, last),
        cpuSeconds: 0,
        outcomes: { done: requests },
      };
    },
  };
}

async function bareStatement({ database, user, program }: Environment): Promise<Subject> {
  const bare = await program('direct-expire', { BENCH_PAYLOAD: await closedPayload() });
  return {
    name: 'the bare UPDATE and INSERT',
    processes: [bare],
    async run(requests) {
      // They expire in a day, so that the worker does not end them. The statement does not check the time.
      await seedOverdue(database, user.userId, { count: requests, dueIn: 86_400, apart: 0.1 });
      return await bare.call('run', { count: requests });
    },
  };
}

async function closedPayload(): Promise<string> {
  // Imported here because the package is not built yet when this file is loaded.
  const { requestClosedEvent } = await import('@expert-relay/contracts');
  return Buffer.from(requestClosedEvent({ reason: 'expired' }).payload).toString('base64url');
}

/** Seconds from the beginning of the first batch until the request that expires last has ended. */
export async function secondsUntilEnded(database: Database, last: string): Promise<number> {
  const ended = `SELECT 1 FROM help_requests WHERE id = $1 AND status = 'expired'`;
  while ((await database.query(ended, [last])).length === 0) await pause(10);
  const [row] = await database.query<{ seconds: number }>(
    `SELECT extract(epoch FROM clock_timestamp() - min(recorded_at))::float8 AS seconds
     FROM outbox_events WHERE type = 'request_closed'`,
  );
  return row?.seconds ?? Number.NaN;
}

/** Gives each run tables of the same size, and the same distance to the next checkpoint. */
async function empty(database: Database): Promise<void> {
  await database.query('TRUNCATE help_requests, messages, idempotency_records, outbox_events');
  await database.query('CHECKPOINT');
}
