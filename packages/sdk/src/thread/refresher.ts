import { RelayError } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { pause } from '../transport/waiting.ts';

export interface RefresherOptions {
  /** Reads what is new. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Receives errors that are no outage. */
  readonly report: (error: RelayError) => void;
  readonly backoff: Api['backoff'];
}

/** Runs a task whenever there may be news, one run at a time. A run that fails is repeated, however long it takes. */
export interface Refresher {
  refresh(): void;
  stop(): void;
}

export function createRefresher({ run, report, backoff }: RefresherOptions): Refresher {
  const stopped = new AbortController();
  const { signal } = stopped;
  let isStale = false;
  let isRunning = false;

  async function runUntilFresh(): Promise<void> {
    for (let failures = 0; isStale && !signal.aborted; ) {
      isStale = false;
      try {
        await run(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        if (!isOutage(error)) report(asRelayError(error));
        isStale = true;
        failures += 1;
        await pause(backoff(failures), signal).catch(() => {});
      }
    }
    isRunning = false;
  }

  return {
    refresh() {
      isStale = true;
      if (isRunning) return;
      isRunning = true;
      void runUntilFresh();
    },
    stop: () => stopped.abort(),
  };
}

/** Whether the relay cannot be reached, or is too busy. An unexpected answer is repeated, too, but reported. */
export const isOutage = (error: unknown): boolean => RelayError.is(error, 'unreachable', 'rate_limited');

function asRelayError(error: unknown): RelayError {
  return error instanceof RelayError
    ? error
    : new RelayError('unexpected_answer', String(error), { cause: error });
}
