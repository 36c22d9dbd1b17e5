import { setTimeout as pause } from 'node:timers/promises';

/** A stopped service must not leave any of these: sockets, listeners, watchers, threads, timers. */
const tracked = /^(TCP|TLS|UDP|Pipe|HTTP|Timeout|FSEvent|FSWatcher|StatWatcher|Message|Worker|GetAddrInfo)/;

function openHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (tracked.test(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/**
 * Counts the handles that keep this process alive. The function that it returns fails when there are more after
 * everything was stopped: a timer, a connection or a listener that was not closed. Call both in
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
    // Sockets take some time to close, and the last timers of clients end within seconds.
    const until = performance.now() + patience;
    while (added().length > 0 && performance.now() < until) await pause(20);
    const left = added();
    if (left.length > 0) throw new Error(`Left open after the stop: ${left.join(', ')}. Close it in stop().`);
  };
}
