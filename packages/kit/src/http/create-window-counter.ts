import type { Clock } from '../clock/index.ts';

const windowLengthMs = 60_000;

/** The rest of a client's window after a call. */
export interface WindowState {
  /** Negative when the call was one too many. */
  readonly left: number;
  /** Milliseconds until the window ends. */
  readonly rest: number;
}

/** Counts `calls` calls of the client, one by default; 0 only reads the window. */
export type WindowCounter = (client: string, calls?: number) => WindowState;

interface Window {
  readonly start: number;
  count: number;
}

/**
 * Counts calls in fixed windows of a minute, each of which begins with a client's first call. It remembers a bounded
 * number of clients: in a flood of different clients the oldest windows are dropped.
 */
export function createWindowCounter(options: {
  limit: number;
  clock: Clock;
  mostClients?: number;
}): WindowCounter {
  const { limit, clock, mostClients = 100_000 } = options;
  // Ordered by start, so expired windows come first.
  const windows = new Map<string, Window>();

  const isOver = (window: Window, now: number) => now - window.start >= windowLengthMs || now < window.start;

  function makeRoom(now: number): void {
    for (const [client, window] of windows) {
      if (!isOver(window, now) && windows.size < mostClients) return;
      windows.delete(client);
    }
  }

  return (client, calls = 1) => {
    const now = clock.now();
    let window = windows.get(client);
    if (!window || isOver(window, now)) {
      if (calls === 0) return { left: limit, rest: windowLengthMs };
      windows.delete(client);
      makeRoom(now);
      window = { start: now, count: 0 };
      windows.set(client, window);
    }
    window.count += calls;
    return { left: limit - window.count, rest: window.start + windowLengthMs - now };
  };
}
