import { setTimeout as pause } from 'node:timers/promises';

/** What a service that has stopped must not leave behind: sockets, listeners, processes, timers. */
const tracked =
  /^(TCP|TLS|UDP|Pipe|HTTP|Process|Timeout|FSEvent|FSWatcher|StatWatcher|Message|Worker|GetAddrInfo)/;

function openHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (tracked.test(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/**
 * Notes what keeps this process alive now. The function that it gives fails when, a moment after everything
 * was stopped, there is more of it: a timer, a connection or a listener that somebody forgot.
 */
export function watchOpenHandles(): () => Promise<void> {
  const before = openHandles();
  const added = () =>
    [...openHandles()].flatMap(([type, count]) => {
      const more = count - (before.get(type) ?? 0);
      return more > 0 ? [`${more} ${type}`] : [];
    });

  return async function assertNothingLeftOpen(): Promise<void> {
    // Sockets close a turn of the event loop or two after they were told to.
    for (let tries = 0; tries < 50 && added().length > 0; tries++) await pause(20);
    const left = added();
    if (left.length > 0) throw new Error(`Left open after the stop: ${left.join(', ')}. Close it in stop().`);
  };
}
