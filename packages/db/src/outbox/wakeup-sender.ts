import { subjectsFor } from '@expert-relay/contracts';
import type { Nats } from '@expert-relay/kit/nats';

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
