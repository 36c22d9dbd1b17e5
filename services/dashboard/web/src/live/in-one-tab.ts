/**
 * Runs `work` in one tab at a time. A tab that has kept another one waiting for `maxMs` was suspended by the system, and loses its
 * turn. It may go on later: then the work is done twice, which must do no harm.
 */
export async function inOneTab(name: string, maxMs: number, work: () => Promise<void>): Promise<void> {
  const waited = new AbortController();
  let hasBegun = false;
  const run = () => {
    hasBegun = true;
    return work();
  };
  const lock = (options: LockOptions) => navigator.locks.request(`expert-relay:${name}`, options, run);
  const timer = setTimeout(() => waited.abort(), maxMs);
  try {
    await lock({ signal: waited.signal }).catch((error: unknown) => {
      if (hasBegun) throw error;
      // A page that is left, and a browser that stores nothing, refuse each request for a lock.
      return waited.signal.aborted ? lock({ steal: true }) : run();
    });
  } finally {
    clearTimeout(timer);
  }
}
