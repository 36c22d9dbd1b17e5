import type { ServerResponse } from 'node:http';
import type { Principal } from '../principal/index.ts';
import { unavailable } from '../problem/index.ts';
import { ClientLeft } from './read-body.ts';

/** Begins a call of a user, at once or when earlier ones have ended. Returns the function that ends it. */
export type UserQueue = (caller: Principal, response: ServerResponse) => Promise<() => void>;

interface User {
  running: number;
  /** Oldest first. */
  readonly waiting: Set<() => void>;
}

/**
 * Runs at most `limit` calls of one user at the same time; further ones wait here and not for a connection to Postgres. These
 * are few, and given out in the order of the calls: without this, a burst of one user would delay all others, above all calls that
 * wait for a lock of that user, such as changes of a key. A caller without a user does not wait.
 */
export function queuePerUser(limit: number, { patienceMs = 5_000 } = {}): UserQueue {
  const users = new Map<string, User>();

  function begin(userId: string, user: User): () => void {
    user.running++;
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      user.running--;
      const [next] = user.waiting;
      if (next) next();
      else if (user.running === 0) users.delete(userId);
    };
  }

  return async (caller, response) => {
    if (!('userId' in caller)) return () => {};
    const { userId } = caller;
    const user = users.get(userId) ?? { running: 0, waiting: new Set() };
    users.set(userId, user);
    if (user.running < limit) return begin(userId, user);
    return await new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        response.off('close', leave);
        user.waiting.delete(next);
      };
      const next = () => {
        stop();
        resolve(begin(userId, user));
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
      user.waiting.add(next);
    });
  };
}
