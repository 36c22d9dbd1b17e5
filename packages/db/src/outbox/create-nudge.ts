import { subjectsFor } from '@expert-relay/contracts';
import type { Nats } from '@expert-relay/kit/nats';

/**
 * Tells the outbox relay, wherever it leads, that a row was committed. Fire and forget: a nudge that does
 * not arrive costs half a second, until the relay looks by itself.
 */
export function createNudge(nats: Pick<Nats, 'connection' | 'connected'>, prefix: string): () => void {
  const { nudge } = subjectsFor(prefix);
  return () => {
    // While NATS is away the client would keep nudges and send them all at once when it is back.
    if (!nats.connected || nats.connection?.isClosed()) return;
    nats.connection?.publish(nudge);
  };
}
