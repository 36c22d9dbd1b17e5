import type { RelayError } from '../relay-error.ts';
import { throwIfAborted, waitOrAbort } from '../transport/waiting.ts';

interface Taker<T> {
  readonly fits: (message: T) => boolean;
  readonly peek: boolean | undefined;
  resolve(message: T | undefined): void;
  reject(error: unknown): void;
}

interface TakeOptions<T> {
  readonly signal?: AbortSignal | undefined;
  readonly fits?: ((message: T) => boolean) | undefined;
  /** True to leave the message there. */
  readonly peek?: boolean | undefined;
}

/** Messages that have arrived and were not taken yet. Each goes to one taker, in order, if the taker accepts it. */
export class Mailbox<T> {
  #messages: T[];
  #unprocessed: readonly T[] = [];
  readonly #takers = new Set<Taker<T>>();
  #ended: { readonly error: RelayError | undefined } | undefined;
  #interruption: RelayError | undefined;
  #stopped: RelayError | undefined;

  constructor(messages: readonly T[] = []) {
    this.#messages = [...messages];
  }

  /** The messages that were not taken yet. */
  get messages(): readonly T[] {
    return this.#messages;
  }
  /** Messages that the program was given by `give` and may not have processed yet. */
  get unprocessed(): readonly T[] {
    return this.#unprocessed;
  }
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Whether `take` would return at once. */
  isReady(fits: (message: T) => boolean): boolean {
    return this.#messages.some(fits) || (this.#ended ?? this.#interruption ?? this.#stopped) !== undefined;
  }

  /** Changes the messages that were not taken or not processed yet. */
  update(change: (message: T) => T): void {
    this.#messages = this.#messages.map(change);
    this.#unprocessed = this.#unprocessed.map(change);
  }

  push(messages: readonly T[]): void {
    // Not `push(...messages)`: a call takes a limited number of arguments.
    for (const message of messages) this.#messages.push(message);
    this.#serve();
  }

  /** No more messages come. After the remaining ones, takers get undefined or the error. */
  end(error?: RelayError): void {
    this.#ended ??= { error };
    this.#serve();
  }

  /** Rejects the waiting takers, or else the next one, with an error that may pass. */
  interrupt(error: RelayError): void {
    if (this.#takers.size === 0) this.#interruption = error;
    for (const { reject } of this.#takers) reject(error);
  }

  /** Rejects all takers from now on, after the remaining messages. */
  stop(error: RelayError): void {
    this.#stopped = error;
    for (const { reject } of this.#takers) reject(error);
  }

  async take({ signal, fits = () => true, peek }: TakeOptions<T>): Promise<T | undefined> {
    throwIfAborted(signal);
    const before = this.#stopped ?? this.#interruption;
    this.#interruption = undefined;
    if (before && !this.#messages.some(fits)) throw before;
    return await waitOrAbort<T | undefined>(signal, (resolve, fail) => {
      const leave = () => this.#takers.delete(taker);
      const reject = (error: unknown) => {
        leave();
        fail(error);
      };
      const taker: Taker<T> = { fits, peek, resolve, reject };
      this.#takers.add(taker);
      this.#serve();
      return leave;
    });
  }

  /** Takes a message that was left there, for the program. False if another taker has it, or if it was changed since then. */
  give(message: T): boolean {
    const at = this.#messages.indexOf(message);
    if (at < 0) return false;
    this.#messages.splice(at, 1);
    this.#unprocessed = [...this.#unprocessed, message];
    return true;
  }

  /** The program has processed all that it was given. */
  markProcessed(): void {
    this.#unprocessed = [];
  }

  #serve(): void {
    // Those that leave the message there come first: another one may take it away.
    for (const taker of [...this.#takers].sort((one, other) => Number(!one.peek) - Number(!other.peek))) {
      const at = this.#messages.findIndex(taker.fits);
      if (at < 0 && !this.#ended) continue;
      this.#takers.delete(taker);
      if (at < 0 && this.#ended?.error) taker.reject(this.#ended.error);
      else taker.resolve(taker.peek || at < 0 ? this.#messages[at] : this.#messages.splice(at, 1)[0]);
    }
  }
}

/** An iterator that calls `follow` at its first step, and ends when the caller leaves the loop. */
export function createIterator<T>(
  follow: () => () => void,
  take: (signal: AbortSignal) => Promise<T | undefined>,
): AsyncIterableIterator<T> {
  const left = new AbortController();
  let release: (() => void) | undefined;
  let isDone = false;

  function finish(): { done: true; value: undefined } {
    isDone = true;
    release?.();
    return { done: true, value: undefined };
  }

  return {
    async next() {
      if (isDone) return finish();
      release ??= follow();
      try {
        const value = await take(left.signal);
        return value === undefined ? finish() : { done: false, value };
      } catch (error) {
        const end = finish();
        if (left.signal.aborted) return end;
        throw error;
      }
    },
    async return() {
      const end = finish();
      left.abort();
      return end;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
