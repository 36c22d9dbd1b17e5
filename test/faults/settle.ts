import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import type { ResumingReader } from './readers/resuming-reader.ts';
import type { Database } from './stage/database.ts';
import type { Stage } from './stage/stage.ts';
import { expectedOn } from './verdict/expected-on.ts';
import { judgeReader } from './verdict/judge-reader.ts';
import { readTruth, type Truth } from './verdict/read-truth.ts';

/** Waits until nothing is under way any more; gives a sentence for each thing that does not come to its end. */
export async function settle(options: {
  stage: Stage;
  readers: readonly ResumingReader[];
  within: number;
}): Promise<string[]> {
  const { stage, readers, within } = options;
  const { database, processes, network, user } = stage;
  await network.restore();
  processes.release();
  const truth = () => readTruth(database, user.userId);
  return untilAllCame({ database, userId: user.userId, readers, truth, within });
}

/** Waits until every conversation of a user has ended and every reader has heard of everything. */
export async function untilAllCame(options: {
  database: Database;
  userId: string;
  readers: readonly ResumingReader[];
  truth: () => Promise<Truth>;
  within: number;
}): Promise<string[]> {
  const { database, userId, readers, within } = options;
  const failures: string[] = [];
  const attempt = async (work: Promise<unknown>) => {
    await work.catch((error: Error) => failures.push(error.message));
  };

  await attempt(database.until('every conversation has ended', allEnded(userId), { within }));
  await attempt(database.until('every event is published', allPublished, { within }));
  const truth = await options.truth();
  let incomplete = readers;
  const lacksSome = ({ topics, stretches }: ResumingReader) =>
    judgeReader(stretches, expectedOn(topics, truth)).lost > 0;
  await attempt(
    eventually(
      'every reader has everything',
      async () => {
        // Looking costs as much as it shows.
        await pause(200);
        incomplete = incomplete.filter(lacksSome);
        return incomplete.length === 0;
      },
      { within },
    ),
  );
  return failures;
}

const allEnded = (userId: string) =>
  `SELECT count(*) = 0 FROM help_requests WHERE user_id = '${userId}' AND status IN ('pending', 'responded')`;
const allPublished = `SELECT count(*) = 0 FROM outbox_events WHERE published_at IS NULL AND failed_at IS NULL`;
