import type { RelayError } from '../relay-error.ts';
import { throwIfAborted, waitOrAbort } from '../transport/waiting.ts';

interface Taker<T> {
  readonly fits: (message: T) => boolean;
  readonly peek: boolean | undefined;
  resolve(message: T | undefined): void;
  reject(error: unknown): void;
}

/** Messages that have arrived and were not taken yet. Each goes to one taker, in order, if the taker accepts it. */
export interface Mailbox<T> {
  /** The messages that were not taken yet. */
  readonly messages: readonly T[];
  readonly hasEnded: boolean;
  /** Whether `take` would return at once. */
  isReady(fits: (message: T) => boolean): boolean;
  /** Messages that the program was given by `give` and may not have processed yet. */
  readonly unprocessed: readonly T[];
  /** Changes these messages, and those that were not taken yet. */
  update(change: (message: T) => T): void;
  push(messages: readonly T[]): void;
  /** No more messages come. After the remaining ones, takers get undefined or the error. */
  end(error?: RelayError): void;
  /** Rejects the waiting takers, or else the next one, with an error that may pass. */
  interrupt(error: RelayError): void;
  /** Rejects all takers from now on, after the remaining messages. */
  stop(error: RelayError): void;
  take(options: {
    signal?: AbortSignal | undefined;
    fits?: ((message: T) => boolean) | undefined;
    /** True to leave the message there. */
    peek?: boolean | undefined;
  }): Promise<T | undefined>;
  /** Takes a message that was left there, for the program. False if another taker has it, or if it was changed since then. */
  give(message: T): boolean;
  /** The program has processed all that it was given. */
  markProcessed(): void;
}

export function createMailbox<T>(given: readonly T[] = []): Mailbox<T> {
  let messages = [...given];
  let unprocessed: readonly T[] = [];
  const takers = new Set<Taker<T>>();
  let ended: { readonly error: RelayError | undefined } | undefined;
  let interruption: RelayError | undefined;
  let stopped: RelayError | undefined;

  function serve(): void {
    // Those that leave the message there come first: another one may take it away.
    for (const taker of [...takers].sort((one, other) => Number(!one.peek) - Number(!other.peek))) {
      const at = messages.findIndex(taker.fits);
      if (at < 0 && !ended) continue;
      takers.delete(taker);
      if (at < 0 && ended?.error) taker.reject(ended.error);
      else taker.resolve(taker.peek || at < 0 ? messages[at] : messages.splice(at, 1)[0]);
    }
  }

  return {
    get messages() {
      return messages;
    },
    get unprocessed() {
      return unprocessed;
    },
    get hasEnded() {
      return ended !== undefined;
    },
    isReady: (fits) => messages.some(fits) || (ended ?? interruption ?? stopped) !== undefined,
    update(change) {
      messages = messages.map(change);
      unprocessed = unprocessed.map(change);
    },
    push(more) {
      // Not `push(...more)`: a call takes a limited number of arguments.
      for (const message of more) messages.push(message);
      serve();
    },
    end(error) {
      ended ??= { error };
      serve();
    },
    interrupt(error) {
      if (takers.size === 0) interruption = error;
      for (const { reject } of takers) reject(error);
    },
    stop(error) {
      stopped = error;
      for (const { reject } of takers) reject(error);
    },
    async take({ signal, fits = () => true, peek }) {
      throwIfAborted(signal);
      const before = stopped ?? interruption;
      interruption = undefined;
      if (before && !messages.some(fits)) throw before;
      return await waitOrAbort<T | undefined>(signal, (resolve, fail) => {
        const leave = () => takers.delete(taker);
        const reject = (error: unknown) => {
          leave();
          fail(error);
        };
        const taker: Taker<T> = { fits, peek, resolve, reject };
        takers.add(taker);
        serve();
        return leave;
      });
    },
    give(message) {
      const at = messages.indexOf(message);
      if (at < 0) return false;
      messages.splice(at, 1);
      unprocessed = [...unprocessed, message];
      return true;
    },
    markProcessed() {
      unprocessed = [];
    },
  };
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
