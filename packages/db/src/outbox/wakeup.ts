import { subjectsFor } from '@expert-relay/contracts';
import type { Nats } from '@expert-relay/kit/nats';

/** Lets one loop wait for something to do. Wakeups that arrive while it works count as one. */
export interface Wakeup {
  notify(): void;
  /** Resolves at the next wakeup, at once if one came since the last wait, and after `timeoutMs` in any case. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** It uses no `AbortController`: aborting one makes an error with a stack trace, which costs as much as a publish. */
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

/** One wakeup is enough for many writes, since the leader publishes all rows that wait. A longer interval would delay events. */
const minIntervalMs = 2;

/**
 * Returns a function that wakes the outbox leader in another process, by a message of core NATS. It is not acknowledged:
 * when it is lost, the leader finds the row half a second later, as it polls.
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
