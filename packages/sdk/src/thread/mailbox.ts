import type { RelayError } from '../relay-error.ts';
import { orAborted, throwIfAborted } from '../transport/aborted.ts';

interface Taker<T> {
  readonly fits: (message: T) => boolean;
  resolve(message: T | undefined): void;
  reject(error: unknown): void;
}

/** What has arrived and was not handed out: each message goes to one taker, in order, if it fits. */
export interface Mailbox<T> {
  /** Not handed out yet. */
  readonly messages: readonly T[];
  readonly hasEnded: boolean;
  /** Whether a taker does not have to wait. */
  isReady(fits: (message: T) => boolean): boolean;
  /** Changes what was not handed out yet. */
  update(change: (message: T) => T): void;
  push(messages: readonly T[]): void;
  /** Nothing more comes: after what is left, takers get nothing, or the error. */
  end(error?: RelayError): void;
  /** Gives those who wait, or the next who does, an error that may pass. */
  interrupt(error: RelayError): void;
  take(options: {
    signal?: AbortSignal | undefined;
    fits?: ((message: T) => boolean) | undefined;
  }): Promise<T | undefined>;
}

export function createMailbox<T>(given: readonly T[] = []): Mailbox<T> {
  let messages = [...given];
  const takers = new Set<Taker<T>>();
  let ended: { readonly error: RelayError | undefined } | undefined;
  let interruption: RelayError | undefined;

  function serve(): void {
    for (const taker of takers) {
      const at = messages.findIndex(taker.fits);
      if (at < 0 && !ended) continue;
      takers.delete(taker);
      if (at < 0 && ended?.error) taker.reject(ended.error);
      else taker.resolve(at < 0 ? undefined : messages.splice(at, 1)[0]);
    }
  }

  return {
    get messages() {
      return messages;
    },
    get hasEnded() {
      return ended !== undefined;
    },
    isReady: (fits) => messages.some(fits) || ended !== undefined || interruption !== undefined,
    update(change) {
      messages = messages.map(change);
    },
    push(more) {
      // One by one: there may be more than a call takes arguments.
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
    async take({ signal, fits = () => true }) {
      throwIfAborted(signal);
      const before = interruption;
      interruption = undefined;
      if (before && !messages.some(fits)) throw before;
      return await orAborted<T | undefined>(signal, (resolve, fail) => {
        const leave = () => takers.delete(taker);
        const reject = (error: unknown) => {
          leave();
          fail(error);
        };
        const taker: Taker<T> = { fits, resolve, reject };
        takers.add(taker);
        serve();
        return leave;
      });
    },
  };
}
