import type { Party } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';

/** A search may read all requests of a user: without a limit one client could use every connection to Postgres. */
export const searchesAtOnce = 4;

/** Runs the searches of each key and each session, up to `searchesAtOnce` at a time. */
export function limitSearches() {
  const running = new Map<string, number>();

  return async <T>(party: Party, search: () => Promise<T>): Promise<T> => {
    const id = party.kind === 'session' ? party.sessionId : party.apiKeyId;
    const count = running.get(id) ?? 0;
    if (count >= searchesAtOnce) {
      throw new Problem('too_many_at_once', {
        detail: `${searchesAtOnce} searches of this key or session are running. Wait until one of them is answered.`,
        headers: { 'retry-after': '60' },
      });
    }
    running.set(id, count + 1);
    try {
      return await search();
    } finally {
      const left = (running.get(id) ?? 0) - 1;
      if (left > 0) running.set(id, left);
      else running.delete(id);
    }
  };
}
