import { setTimeout as pause } from 'node:timers/promises';

/** What a service that has stopped must not leave behind: sockets, listeners, watchers, threads, timers. */
const tracked = /^(TCP|TLS|UDP|Pipe|HTTP|Timeout|FSEvent|FSWatcher|StatWatcher|Message|Worker|GetAddrInfo)/;

function openHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (tracked.test(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/**
 * Notes what keeps this process alive now. The function that it gives fails when, a moment after everything
 * was stopped, there is more of it: a timer, a connection or a listener that somebody forgot. Both are for
 * hooks: Jest holds a timer for each, which counts too.
 */
export function watchOpenHandles({ patience = 4_000 } = {}): () => Promise<void> {
  const before = openHandles();
  const added = () =>
    [...openHandles()].flatMap(([type, count]) => {
      const more = count - (before.get(type) ?? 0);
      return more > 0 ? [`${more} ${type}`] : [];
    });

  return async function assertNothingLeftOpen(): Promise<void> {
    // Sockets close a moment after they were told to, and clients' last timers run out within seconds.
    const until = performance.now() + patience;
    while (added().length > 0 && performance.now() < until) await pause(20);
    const left = added();
    if (left.length > 0) throw new Error(`Left open after the stop: ${left.join(', ')}. Close it in stop().`);
  };
}
