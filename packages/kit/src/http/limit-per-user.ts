import type { Principal } from '../principal/index.ts';
import { Problem } from '../problem/index.ts';
import { KeyedCounter } from './keyed-counter.ts';

/**
 * Begins some work of a caller, and returns the function that ends it. Throws when the caller has too much of this work
 * under way. A caller without a user is not limited.
 */
export type UserLimit = (caller: Principal) => () => void;

/**
 * Limits how much of some work one user has under way at the same time, with all keys and sessions together; 0 = no limit. One
 * key or session gets at most three quarters of it, so that an agent cannot keep its own expert from working.
 */
export function limitPerUser(limit: number, work: string): UserLimit {
  const ofOne = Math.max(1, Math.floor(limit * 0.75));
  const running = new KeyedCounter();
  const require = (id: string, most: number, who: string) => {
    if (running.of(id) < most) return;
    throw new Problem('too_many_at_once', {
      detail: `${who} ${most} ${work} under way. Finish some of them first, or wait as long as \`Retry-After\` says.`,
      headers: { 'retry-after': '60' },
    });
  };

  return (caller) => {
    if (limit === 0 || !('userId' in caller)) return () => {};
    const user = `user ${caller.userId}`;
    const credential = `credential ${caller.kind === 'session' ? caller.sessionId : caller.apiKeyId}`;
    require(credential, ofOne, 'This key or session has');
    require(user, limit, 'The keys and sessions of this user have');
    for (const id of [user, credential]) running.add(id, 1);
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      for (const id of [user, credential]) running.add(id, -1);
    };
  };
}
