import { connection } from './connection.ts';

/** How much of the rate limit of this address was left at the last call: from 1 to 0. It counts other tabs, and colleagues, too. */
let left = 1;

export function noteRateLimit(headers: Headers): void {
  const [, rest] = /^"api";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const [, limit] = /^"api";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  if (rest !== undefined && limit !== undefined) left = Number(rest) / Number(limit);
}

/** How long the page waits between two reads that the expert has not asked for. */
export function gapMs(): number {
  if (connection.get().kind !== 'online' || left <= 1 / 4) return 10_000;
  return left > 1 / 2 ? 1_000 : 4_000;
}
