import type { Clock } from '@expert-relay/kit/clock';

const windowLength = 60_000;

/** What is left of a client's window after a call. */
export interface WindowState {
  /** Negative when the call was one too many. */
  readonly left: number;
  /** Until the window ends, in milliseconds. */
  readonly rest: number;
}

interface Window {
  readonly start: number;
  count: number;
}

/**
 * Counts calls in fixed windows of a minute, each beginning with a client's first call. Remembers a
 * bounded number of clients: in a flood of different ones the oldest windows make room.
 */
export function createWindowCounter(options: {
  limit: number;
  clock: Clock;
  mostClients?: number;
}): (client: string) => WindowState {
  const { limit, clock, mostClients = 100_000 } = options;
  // In the order of their starts, so whatever is over stands first.
  const windows = new Map<string, Window>();

  const isOver = (window: Window, now: number) => now - window.start >= windowLength || now < window.start;

  function makeRoom(now: number): void {
    for (const [client, window] of windows) {
      if (!isOver(window, now) && windows.size < mostClients) return;
      windows.delete(client);
    }
  }

  return (client) => {
    const now = clock.now();
    let window = windows.get(client);
    if (!window || isOver(window, now)) {
      windows.delete(client);
      makeRoom(now);
      window = { start: now, count: 0 };
      windows.set(client, window);
    }
    window.count++;
    return { left: limit - window.count, rest: window.start + windowLength - now };
  };
}
