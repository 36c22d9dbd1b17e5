import { subjectsFor } from '@expert-relay/contracts';
import type { Nats } from '@expert-relay/kit/nats';

/** Many writes in one moment need one nudge: the leader takes all that waits. What is gained here is lost in delay. */
const shortestInterval = 2;

/**
 * Tells the outbox relay, wherever it leads, that a row was committed. Fire and forget: a nudge that does
 * not arrive costs half a second, until the relay looks by itself.
 */
export function createNudge(nats: Pick<Nats, 'connection' | 'connected'>, prefix: string): () => void {
  const { nudge } = subjectsFor(prefix);
  let resting = false;
  let again = false;

  function send(): void {
    // While NATS is away the client would keep nudges and send them all at once when it is back.
    if (nats.connected && !nats.connection?.isClosed()) nats.connection?.publish(nudge);
    resting = true;
    again = false;
    setTimeout(() => {
      resting = false;
      if (again) send();
    }, shortestInterval).unref();
  }

  return () => {
    if (resting) again = true;
    else send();
  };
}
