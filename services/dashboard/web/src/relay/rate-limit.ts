import { connection } from './connection.ts';

/** What the relay has said of this address, which other tabs and colleagues may share. */
let count = { limit: 1, left: 1, endsAt: 0 };

const shortestMs = 1_000;
const awayMs = 10_000;
/** Two of the inbox, for the list and the counts, and one of the conversation on the screen. */
const callsOfARun = 3;

export function noteRateLimit(headers: Headers): void {
  const [, left, seconds] = /^"pages";r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const [, limit] = /^"pages";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  if (limit === undefined) return;
  count = {
    limit: Number(limit),
    left: Number(left),
    endsAt: performance.now() + Number(seconds) * 1_000,
  };
}

/**
 * How long the page waits between two reads that the expert has not asked for. Once half of the calls of a minute are used, the next quarter
 * is spread over the rest of the minute. The last quarter is the expert's.
 */
export function gapMs(): number {
  if (connection.get().kind !== 'online') return awayMs;
  const { limit, left, endsAt } = count;
  const restMs = endsAt - performance.now();
  const free = left - limit / 4;
  if (restMs <= 0 || left > limit / 2) return shortestMs;
  return free > 0 ? Math.max(shortestMs, Math.min(restMs, (restMs * callsOfARun) / free)) : restMs;
}
