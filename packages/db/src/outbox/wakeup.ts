import { subjectsFor } from '@expert-relay/contracts';
import type { Nats } from '@expert-relay/kit/nats';

/** Wakes one loop; wakeups that arrive while it works are kept as one. */
export interface Wakeup {
  notify(): void;
  /** Resolves on the next wakeup, at once if one is kept, and after `timeoutMs` in any case. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** Without an `AbortController` for each wait: aborting it makes an error with its stack, as slow as a publish. */
export function createWakeup(): Wakeup {
  let isPending = false;
  let resolveWait: () => void = () => {};
  return {
    notify() {
      isPending = true;
      resolveWait();
    },
    async wait(timeoutMs, signal) {
      if (!isPending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          resolveWait = () => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener('abort', resolveWait, { once: true });
        });
        signal.removeEventListener('abort', resolveWait);
      }
      isPending = false;
    },
  };
}

/** One wakeup serves many writes, since the leader publishes all rows that wait. A longer interval would delay events. */
const minIntervalMs = 2;

/**
 * Wakes the outbox leader of any process over core NATS after a commit. Not acknowledged: without the message the
 * leader finds the row half a second later, when it polls.
 */
export function createWakeupSender(nats: Pick<Nats, 'connection' | 'connected'>, prefix: string): () => void {
  const { wakeup } = subjectsFor(prefix);
  let isPaused = false;
  let isRequested = false;

  function send(): void {
    // While NATS is away the client would queue wakeups and send them all when it is back.
    if (nats.connected && !nats.connection?.isClosed()) nats.connection?.publish(wakeup);
    isPaused = true;
    isRequested = false;
    setTimeout(() => {
      isPaused = false;
      if (isRequested) send();
    }, minIntervalMs).unref();
  }

  return () => {
    if (isPaused) isRequested = true;
    else send();
  };
}
