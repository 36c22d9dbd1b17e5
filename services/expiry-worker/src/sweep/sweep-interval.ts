const minute = 60_000;
/** Below this a worker would do little else than sweep. */
const floor = 500;

/**
 * How often to sweep, in whole milliseconds: every minute, or ten times in a conversation's life if that is
 * shorter. So whatever the lifetime, a request has met a sweep before it falls due.
 */
export function sweepInterval(conversationTtl: number): number {
  return Math.max(floor, Math.min(minute, Math.floor(conversationTtl / 10)));
}
