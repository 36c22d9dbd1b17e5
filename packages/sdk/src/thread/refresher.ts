import { RelayError } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { pause } from '../transport/waiting.ts';

export interface RefresherOptions {
  /** The task. `failures`: how often it has failed since it succeeded. */
  readonly run: (signal: AbortSignal, failures: number) => Promise<void>;
  /** Receives errors that are no outage. */
  readonly report: (error: RelayError) => void;
  readonly backoff: Api['backoff'];
}

/** Runs a task whenever there may be news, one run at a time. A run that fails is repeated, however long it takes. */
export class Refresher {
  readonly #options: RefresherOptions;
  readonly #stopped = new AbortController();
  #isStale = false;
  #isRunning = false;

  constructor(options: RefresherOptions) {
    this.#options = options;
  }

  refresh(): void {
    this.#isStale = true;
    if (!this.#isRunning) void this.#runUntilFresh();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #runUntilFresh(): Promise<void> {
    const { run, report, backoff } = this.#options;
    const { signal } = this.#stopped;
    this.#isRunning = true;
    for (let failures = 0; this.#isStale && !signal.aborted; ) {
      this.#isStale = false;
      try {
        await run(signal, failures);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        if (!isOutage(error)) report(asRelayError(error));
        this.#isStale = true;
        failures += 1;
        await pause(backoff(failures), signal).catch(() => {});
      }
    }
    this.#isRunning = false;
  }
}

/** Whether the relay cannot be reached, or is too busy. An unexpected answer is repeated, too, but reported. */
export const isOutage = (error: unknown): boolean => RelayError.is(error, 'unreachable', 'rate_limited');

function asRelayError(error: unknown): RelayError {
  return error instanceof RelayError
    ? error
    : new RelayError('unexpected_answer', String(error), { cause: error });
}
