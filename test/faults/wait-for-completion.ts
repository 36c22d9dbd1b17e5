import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { checkReader, expectedEvents } from './checks/check-reader.ts';
import { type CommittedState, readCommitted } from './checks/read-committed.ts';
import type { Database } from './environment/database.ts';
import type { Environment } from './environment/environment.ts';
import type { ResumingReader } from './readers/resuming-reader.ts';

/** Ends all faults and waits for completion. Returns a sentence for each thing that did not complete. */
export async function restoreAndWait(options: {
  environment: Environment;
  readers: readonly ResumingReader[];
  timeoutMs: number;
}): Promise<string[]> {
  const { environment, readers, timeoutMs } = options;
  const { database, processes, network, user } = environment;
  await network.restore();
  processes.releaseAll();
  const committed = () => readCommitted(database, user.userId);
  return waitForCompletion({ database, userId: user.userId, readers, committed, timeoutMs });
}

/** Waits until every conversation of a user has ended and every reader has received all events. */
export async function waitForCompletion(options: {
  database: Database;
  userId: string;
  readers: readonly ResumingReader[];
  committed: () => Promise<CommittedState>;
  timeoutMs: number;
}): Promise<string[]> {
  const { database, userId, readers, timeoutMs } = options;
  const failures: string[] = [];
  const attempt = async (work: Promise<unknown>) => {
    await work.catch((error: Error) => failures.push(error.message));
  };

  await attempt(database.waitUntil('every conversation has ended', allEnded(userId), { timeoutMs }));
  await attempt(database.waitUntil('every event is published', allPublished, { timeoutMs }));
  const committed = await options.committed();
  let incomplete = readers;
  const lacksEvents = ({ topics, segments }: ResumingReader) =>
    checkReader(segments, expectedEvents(topics, committed)).lost > 0;
  await attempt(
    eventually(
      'every reader has all events',
      async () => {
        // The comparison is expensive.
        await pause(200);
        incomplete = incomplete.filter(lacksEvents);
        return incomplete.length === 0;
      },
      { timeoutMs },
    ),
  );
  return failures;
}

const allEnded = (userId: string) =>
  `SELECT count(*) = 0 FROM help_requests WHERE user_id = '${userId}' AND status IN ('pending', 'responded')`;
const allPublished = `SELECT count(*) = 0 FROM outbox_events WHERE published_at IS NULL AND failed_at IS NULL`;
