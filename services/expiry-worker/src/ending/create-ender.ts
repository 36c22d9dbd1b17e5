import type { Query } from '@expert-relay/db';
import { endListed, type ListedOutcome } from './end-listed.ts';

/** Ends one request; resolves with the milliseconds to wait when it is still open. */
export type Ender = (id: string) => Promise<number | undefined>;

interface Waiting {
  id: string;
  resolve: (wait: number | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Jobs come one by one; requests that fall due in the same moment are ended in one statement. While one
 * runs, the next collects: alone a job waits for nothing, and under load statements grow, not their number.
 */
export function createEnder(query: Query, onEnded: (ended: ListedOutcome['ended']) => void): Ender {
  let waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await settle(batch);
    }
    running = false;
  }

  async function settle(batch: readonly Waiting[]): Promise<void> {
    let outcome: ListedOutcome;
    try {
      outcome = await endListed(
        query,
        batch.map(({ id }) => id),
      );
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    onEnded(outcome.ended);
    for (const { id, resolve } of batch) resolve(outcome.open.get(id));
  }

  return (id) =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject });
      void run();
    });
}
