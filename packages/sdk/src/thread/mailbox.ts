import { RelayError } from '../relay-error.ts';
import { orAborted, throwIfAborted } from '../transport/aborted.ts';
import { startTimer } from '../transport/timer.ts';

interface Taker<T> {
  resolve(message: T | undefined): void;
  reject(error: unknown): void;
}

/** What has arrived and was not handed out: each message goes to one taker, in order. */
export class Mailbox<T> {
  readonly #messages: T[];
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

  /** Whether a taker needs not wait. */
  get isReady(): boolean {
    return this.#messages.length > 0 || this.#end !== undefined || this.#interruption !== undefined;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  push(messages: readonly T[]): void {
    this.#messages.push(...messages);
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
  }): Promise<T | undefined> {
    const { timeout, signal } = options;
    throwIfAborted(signal);
    const interruption = this.#interruption;
    this.#interruption = undefined;
    if (interruption && this.#messages.length === 0) throw interruption;
    return await orAborted<T | undefined>(signal, (resolve, fail) => {
      const leave = () => this.#takers.delete(taker);
      const reject = (error: unknown) => {
        leave();
        fail(error);
      };
      const taker: Taker<T> = { resolve, reject };
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
      const [message] = this.#messages;
      if (message === undefined && !this.#end) return;
      this.#takers.delete(taker);
      if (message === undefined && this.#end?.error) taker.reject(this.#end.error);
      else taker.resolve(this.#messages.shift());
    }
  }
}

function timedOut(timeout: number): RelayError {
  return new RelayError(
    'timeout',
    `No answer came within ${timeout / 1_000} s. The conversation goes on: wait again.`,
  );
}
