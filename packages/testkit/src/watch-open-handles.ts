import { setTimeout as pause } from 'node:timers/promises';

/**
 * Types of handles that a stopped service must have closed: sockets, listeners, watchers, threads, timers. Pipes are not
 * among them: Node opens those of stdin, stdout and stderr at their first use.
 */
const tracked = /^(TCP|TLS|UDP|HTTP|Timeout|FSEvent|FSWatcher|StatWatcher|Message|Worker|GetAddrInfo)/;

function openHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (tracked.test(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/**
 * Counts the handles that keep this process alive. The returned function throws if there are more after everything was
 * stopped, such as a timer, a connection or a listener. Call both in Jest hooks: Jest has a timer for each hook, which
 * is counted too.
 */
export function watchOpenHandles({ patience = 30_000 } = {}): () => Promise<void> {
  const before = openHandles();
  const added = () =>
    [...openHandles()].flatMap(([type, count]) => {
      const more = count - (before.get(type) ?? 0);
      return more > 0 ? [`${more} ${type}`] : [];
    });

  return async function assertNothingLeftOpen(): Promise<void> {
    // Sockets need some time to close, and the last timers of clients end within seconds. Checks are counted and not the
    // time, since sockets cannot close while a busy machine stalls.
    for (let checks = patience / 20; added().length > 0 && checks > 0; checks -= 1) await pause(20);
    const left = added();
    if (left.length > 0) throw new Error(`Still open after stop(): ${left.join(', ')}. Close it in stop().`);
  };
}
