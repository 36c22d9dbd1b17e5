import { setTimeout as pause } from 'node:timers/promises';
import { type Query, raw } from '../postgres/query.ts';
import { isWaiting } from './waiting-rows.ts';

const maxWaiting = 1_000;
const pauseMs = 100;

/**
 * What ends requests in batches calls it before each batch of `endedPerBatch`, so that the events of other calls do not wait
 * behind all of its events. It pauses, so that publishing a thousand of them a second leaves the outbox leader time for the
 * calls that it answers, and goes on pausing while more than 1,000 events wait. False when `isCancelled` says so.
 */
export async function waitForOutbox(query: Query, isCancelled = () => false): Promise<boolean> {
  do {
    if (isCancelled()) return false;
    await pause(pauseMs);
  } while (await isFull(query));
  return !isCancelled();
}

export const endedPerBatch = 100;

/**
 * Whether more than 1,000 of the newest 2,000 rows wait. They are published in order, so the newest ones tell. To read all
 * that wait would cost more, since their index also has the rows that were published since the last vacuum.
 */
async function isFull(query: Query): Promise<boolean> {
  const waiting = await query`
    SELECT 1 FROM outbox_events
    WHERE ${raw(isWaiting)} AND position > (SELECT last_value - ${2 * maxWaiting}::int FROM outbox_events_position_seq)
    ORDER BY position OFFSET ${maxWaiting}::int LIMIT 1`;
  return waiting.length > 0;
}
