import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import type { ResumingReader } from './readers/resuming-reader.ts';
import type { Stage } from './stage/stage.ts';
import { expectedOn } from './verdict/expected-on.ts';
import { judgeReader } from './verdict/judge-reader.ts';
import { readTruth } from './verdict/read-truth.ts';

/** Waits until nothing is under way any more; gives a sentence for each thing that does not come to its end. */
export async function settle(options: {
  stage: Stage;
  readers: readonly ResumingReader[];
  within: number;
}): Promise<string[]> {
  const { stage, readers, within } = options;
  const { database, processes, network } = stage;
  await network.mend();
  processes.release();
  const failures: string[] = [];
  const attempt = async (work: Promise<unknown>) => {
    await work.catch((error: Error) => failures.push(error.message));
  };

  await attempt(database.until('every conversation has ended', allEnded, { within }));
  await attempt(database.until('every event is published', allPublished, { within }));
  const truth = await readTruth(database);
  const missing = () =>
    readers.some(({ topics, stretches }) => judgeReader(stretches, expectedOn(topics, truth)).lost > 0);
  await attempt(
    eventually(
      'every reader has everything',
      async () => {
        // Looking costs as much as it shows.
        await pause(200);
        return !missing();
      },
      { within },
    ),
  );
  return failures;
}

const allEnded = `SELECT count(*) = 0 FROM help_requests WHERE status IN ('pending', 'responded')`;
const allPublished = `SELECT count(*) = 0 FROM outbox_events WHERE published_at IS NULL AND failed_at IS NULL`;
