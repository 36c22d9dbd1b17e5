import type { ServerResponse } from 'node:http';
import type { Principal } from '../principal/index.ts';
import { Problem } from '../problem/index.ts';
import { KeyedCounter } from './keyed-counter.ts';

/** Counts a long response until the response closes; throws if the user of the caller receives too many of them already. */
export type LongResponseLimit = (caller: Principal, response: ServerResponse) => void;

/**
 * Limits how many long responses one user receives at the same time, with all keys and sessions together; 0 = no limit. One key or
 * session gets at most three quarters of it, so that an agent cannot keep its own expert from reading.
 */
export function limitLongResponses(limit: number): LongResponseLimit {
  const ofOne = Math.max(1, Math.floor(limit * 0.75));
  const running = new KeyedCounter();

  function require(id: string, most: number, who: string): void {
    if (running.of(id) < most) return;
    throw new Problem('too_many_at_once', {
      detail: `${who} ${most} long responses under way. Finish some of them first, or wait as long as \`Retry-After\` says.`,
      headers: { 'retry-after': '60' },
    });
  }

  return (caller, response) => {
    // A response that has closed emits no further `close`.
    if (limit === 0 || !('userId' in caller) || response.closed) return;
    const user = `user ${caller.userId}`;
    const credential = `credential ${caller.kind === 'session' ? caller.sessionId : caller.apiKeyId}`;
    require(credential, ofOne, 'This key or session has');
    require(user, limit, 'The keys and sessions of this user have');
    for (const id of [user, credential]) running.add(id, 1);
    response.once('close', () => {
      for (const id of [user, credential]) running.add(id, -1);
    });
  };
}
