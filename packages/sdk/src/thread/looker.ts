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
export class Looker {
  readonly #options: LookerOptions;
  readonly #stopped = new AbortController();
  #isStale = false;
  #isLooking = false;

  constructor(options: LookerOptions) {
    this.#options = options;
  }

  look(): void {
    this.#isStale = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    void this.#run(this.#stopped.signal);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { look, tell, backoff } = this.#options;
    for (let failures = 0; this.#isStale && !signal.aborted; ) {
      this.#isStale = false;
      try {
        await look(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        if (!isOutage(error)) tell(asRelayError(error));
        this.#isStale = true;
        failures += 1;
        await pause(backoff(failures), signal).catch(() => {});
      }
    }
    this.#isLooking = false;
  }
}

/** What passes by itself, however long it takes. */
export const isOutage = (error: unknown): boolean =>
  error instanceof RelayError && isPassing(error) && error.code !== 'unexpected_answer';

function asRelayError(error: unknown): RelayError {
  return error instanceof RelayError
    ? error
    : new RelayError('unexpected_answer', "The answer is not a relay's: see `cause`.", { cause: error });
}
