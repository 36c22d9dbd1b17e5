import type { Clock } from '../clock/index.ts';

const windowLengthMs = 60_000;

/** A client's window after a call. */
export interface WindowState {
  /** The calls that are left; negative when the limit is exceeded. */
  readonly left: number;
  /** Milliseconds until the window ends. */
  readonly endsInMs: number;
}

/** Counts a number of calls of the client, one by default. With 0 it only reads the window. */
export type WindowCounter = (client: string, calls?: number) => WindowState;

interface Window {
  readonly start: number;
  count: number;
}

/**
 * Counts calls in fixed windows of a minute. A window begins with a client's first call. The number of clients is limited:
 * in a flood of different clients, the oldest windows are dropped.
 */
export function createWindowCounter(options: {
  limit: number;
  clock: Clock;
  maxClients?: number;
}): WindowCounter {
  const { limit, clock, maxClients = 100_000 } = options;
  // Ordered by start, so expired windows come first.
  const windows = new Map<string, Window>();

  const isOver = (window: Window, now: number) => now - window.start >= windowLengthMs || now < window.start;

  function makeRoom(now: number): void {
    for (const [client, window] of windows) {
      if (!isOver(window, now) && windows.size < maxClients) return;
      windows.delete(client);
    }
  }

  return (client, calls = 1) => {
    const now = clock.now();
    let window = windows.get(client);
    if (!window || isOver(window, now)) {
      if (calls === 0) return { left: limit, endsInMs: windowLengthMs };
      windows.delete(client);
      makeRoom(now);
      window = { start: now, count: 0 };
      windows.set(client, window);
    }
    window.count += calls;
    return { left: limit - window.count, endsInMs: window.start + windowLengthMs - now };
  };
}
