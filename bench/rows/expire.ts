import { setTimeout as pause } from 'node:timers/promises';
import { compare } from '../measure/compare.ts';
import type { Subject } from '../measure/subject.ts';
import { seedOverdue } from '../requests/seed-overdue.ts';
import type { Database } from '../stage/open-database.ts';
import type { Stage } from '../stage/stage.ts';
import { toLine } from './ratio-row.ts';
import type { Row } from './row.ts';

const count = 30_000;
const goal = 0.5;

/** Overdue requests that a sweep ends, compared with the bare statement that writes the same. */
export const expire: Row = {
  name: 'expire',
  async play(stage, { progress, rounds }) {
    const subjects = [await bareStatement(stage), await theWorker(stage)] as const;
    const results = await compare({ subjects, rounds, count, settle: () => empty(stage.database), progress });
    const [base, measured] = results.map(toLine);
    const reached = (measured?.ratio?.median ?? 0) >= goal;
    return [
      { ...measured, title: 'expire: a sweep', goal: { text: `>= ${goal.toFixed(2)}`, reached } },
      { ...base, title: '  / the bare UPDATE and INSERT in batches' },
    ];
  },
};

async function theWorker(stage: Stage): Promise<Subject> {
  const { database, user } = stage;
  // It sweeps twice a second.
  const worker = await stage.service('expiry-worker', { env: { RELAY_CONVERSATION_TTL: '1s' } });
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

async function bareStatement({ database, user, program }: Stage): Promise<Subject> {
  const bare = await program('direct-expire', { BENCH_PAYLOAD: await closedPayload() });
  return {
    name: 'the bare UPDATE and INSERT',
    processes: [bare],
    async run(requests) {
      // Not due for a day, so that they are left alone by the worker. The statement does not ask.
      await seedOverdue(database, user.userId, { count: requests, dueIn: 86_400, apart: 0.1 });
      return await bare.ask('run', { count: requests });
    },
  };
}

async function closedPayload(): Promise<string> {
  // Not built yet when this file is loaded.
  const { requestClosedPayload } = await import('@expert-relay/contracts');
  return Buffer.from(requestClosedPayload({ reason: 'expired' })).toString('base64url');
}

/** From the beginning of the first batch until the last request, by the order of expiry, has ended. */
export async function secondsUntilEnded(database: Database, last: string): Promise<number> {
  const ended = `SELECT 1 FROM help_requests WHERE id = $1 AND status = 'expired'`;
  while ((await database.query(ended, [last])).length === 0) await pause(10);
  const [row] = await database.query<{ seconds: number }>(
    `SELECT extract(epoch FROM clock_timestamp() - min(recorded_at))::float8 AS seconds
     FROM outbox_events WHERE type = 'request_closed'`,
  );
  return row?.seconds ?? Number.NaN;
}

/** So that each run begins with tables of the same size, and with as much of the log before a checkpoint. */
async function empty(database: Database): Promise<void> {
  await database.query('TRUNCATE help_requests, messages, idempotency_records, outbox_events');
  await database.query('CHECKPOINT');
}
