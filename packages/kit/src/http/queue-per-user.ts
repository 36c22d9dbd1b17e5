import type { ServerResponse } from 'node:http';
import type { Principal } from '../principal/index.ts';
import { unavailable } from '../problem/index.ts';
import { ClientLeft } from './read-body.ts';

/**
 * Begins a call of a user, at once or when earlier ones have ended. Returns the function that ends it. A heavy call takes more than
 * half of what its user has: so a user's heavy calls run one after another, and its others run beside them.
 */
export type UserQueue = (
  caller: Principal,
  response: ServerResponse,
  options?: { isHeavy?: boolean | undefined },
) => Promise<() => void>;

interface User {
  running: number;
  /** Oldest first. */
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly share: number;
  begin(): void;
}

/**
 * Runs at most `limit` calls of one user at the same time; further ones wait here and not for a connection to Postgres. These
 * are few, and given out in the order of the calls: without this, a burst of one user would delay all others, above all calls that
 * wait for a lock of that user, such as changes of a key. A caller without a user does not wait.
 */
export function queuePerUser(limit: number, { patienceMs = 5_000 } = {}): UserQueue {
  const users = new Map<string, User>();
  const heavyShare = Math.min(limit, Math.floor(limit / 2) + 1);

  function begin(userId: string, user: User, share: number): () => void {
    user.running += share;
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      user.running -= share;
      // The oldest that fit: a heavy call that waits does not hold up the light ones behind it.
      for (const next of user.waiting) if (user.running + next.share <= limit) next.begin();
      if (user.running === 0) users.delete(userId);
    };
  }

  return async (caller, response, { isHeavy = false } = {}) => {
    if (!('userId' in caller)) return () => {};
    const { userId } = caller;
    const share = isHeavy ? heavyShare : 1;
    const user = users.get(userId) ?? { running: 0, waiting: new Set() };
    users.set(userId, user);
    if (user.running + share <= limit) return begin(userId, user, share);
    return await new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        response.off('close', leave);
        user.waiting.delete(waiting);
      };
      const waiting: Waiting = {
        share,
        begin() {
          stop();
          resolve(begin(userId, user, share));
        },
      };
      const leave = () => {
        stop();
        reject(new ClientLeft());
      };
      const timer = setTimeout(() => {
        stop();
        reject(unavailable('Too many calls of this user are under way.'));
      }, patienceMs);
      response.once('close', leave);
      user.waiting.add(waiting);
    });
  };
}
