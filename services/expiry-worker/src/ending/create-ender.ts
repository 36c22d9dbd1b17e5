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
 * Ends requests that fall due in the same moment in one statement. While one statement runs, the ids for the
 * next are collected, so a single job does not wait, and under load the statements grow rather than their number.
 */
export function createEnder(query: Query, onEnded: (ended: ListedOutcome['ended']) => void): Ender {
  let waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    try {
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await settle(batch);
      }
    } finally {
      running = false;
    }
  }

  async function settle(batch: readonly Waiting[]): Promise<void> {
    const ids = batch.map(({ id }) => id);
    try {
      const { ended, open } = await endListed(query, ids);
      onEnded(ended);
      for (const { id, resolve } of batch) resolve(open.get(id));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (id) =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject });
      void run();
    });
}
