import { RelayError } from '../relay-error.ts';
import { orAborted, throwIfAborted } from '../transport/aborted.ts';
import { startTimer } from '../transport/timer.ts';

interface Taker<T> {
  readonly fits: (message: T) => boolean;
  resolve(message: T | undefined): void;
  reject(error: unknown): void;
}

/** What has arrived and was not handed out: each message goes to one taker, in order, if it fits. */
export class Mailbox<T> {
  #messages: T[];
  readonly #takers = new Set<Taker<T>>();
  #end: { readonly error: RelayError | undefined } | undefined;
  #interruption: RelayError | undefined;

  constructor(messages: readonly T[] = []) {
    this.#messages = [...messages];
  }

  /** Not handed out yet. */
  get messages(): readonly T[] {
    return this.#messages;
  }

  /** Whether a taker does not have to wait. */
  isReady(fits: (message: T) => boolean): boolean {
    return this.#messages.some(fits) || this.#end !== undefined || this.#interruption !== undefined;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Changes what was not handed out yet. */
  update(change: (message: T) => T): void {
    this.#messages = this.#messages.map(change);
  }

  push(messages: readonly T[]): void {
    // One by one: there may be more than a call takes arguments.
    for (const message of messages) this.#messages.push(message);
    this.#serve();
  }

  /** Nothing more comes: after what is left, takers get nothing, or the error. */
  end(error?: RelayError): void {
    this.#end ??= { error };
    this.#serve();
  }

  /** Tells those who wait, or the next who does, of something that may pass. */
  interrupt(error: RelayError): void {
    if (this.#takers.size === 0) this.#interruption = error;
    for (const { reject } of this.#takers) reject(error);
  }

  async take(options: {
    timeout?: number | undefined;
    signal?: AbortSignal | undefined;
    fits?: ((message: T) => boolean) | undefined;
  }): Promise<T | undefined> {
    const { timeout, signal, fits = () => true } = options;
    throwIfAborted(signal);
    const interruption = this.#interruption;
    this.#interruption = undefined;
    if (interruption && !this.#messages.some(fits)) throw interruption;
    return await orAborted<T | undefined>(signal, (resolve, fail) => {
      const leave = () => this.#takers.delete(taker);
      const reject = (error: unknown) => {
        leave();
        fail(error);
      };
      const taker: Taker<T> = { fits, resolve, reject };
      this.#takers.add(taker);
      const stopTimer =
        timeout === undefined ? () => {} : startTimer(timeout, () => reject(timedOut(timeout)));
      this.#serve();
      return () => {
        leave();
        stopTimer();
      };
    });
  }

  #serve(): void {
    for (const taker of this.#takers) {
      const at = this.#messages.findIndex(taker.fits);
      if (at < 0 && !this.#end) continue;
      this.#takers.delete(taker);
      if (at < 0 && this.#end?.error) taker.reject(this.#end.error);
      else taker.resolve(at < 0 ? undefined : this.#messages.splice(at, 1)[0]);
    }
  }
}

function timedOut(timeout: number): RelayError {
  return new RelayError(
    'timeout',
    `No answer came within ${timeout / 1_000} s. The conversation goes on: wait again.`,
  );
}
