import { RelayError } from '../relay-error.ts';
import { type Api, isPassing } from '../transport/api.ts';
import { pause } from '../transport/pause.ts';

export interface LookerOptions {
  /** Brings what is known up to date. */
  readonly look: (signal: AbortSignal) => Promise<void>;
  /** Hears of what does not pass by itself. */
  readonly tell: (error: RelayError) => void;
  readonly backoff: Api['backoff'];
}

/** Looks again whenever there may be news, once at a time, and goes on after outages of any length. */
export interface Looker {
  look(): void;
  stop(): void;
}

export function createLooker({ look, tell, backoff }: LookerOptions): Looker {
  const stopped = new AbortController();
  const { signal } = stopped;
  let isStale = false;
  let isLooking = false;

  async function run(): Promise<void> {
    for (let failures = 0; isStale && !signal.aborted; ) {
      isStale = false;
      try {
        await look(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        if (!isOutage(error)) tell(asRelayError(error));
        isStale = true;
        failures += 1;
        await pause(backoff(failures), signal).catch(() => {});
      }
    }
    isLooking = false;
  }

  return {
    look() {
      isStale = true;
      if (isLooking) return;
      isLooking = true;
      void run();
    },
    stop: () => stopped.abort(),
  };
}

/** What passes by itself, however long it takes. */
export const isOutage = (error: unknown): boolean => isPassing(error) && error.code !== 'unexpected_answer';

function asRelayError(error: unknown): RelayError {
  return error instanceof RelayError
    ? error
    : new RelayError('unexpected_answer', 'See `cause`.', { cause: error });
}
