import { subjectsFor } from '@expert-relay/contracts';
import { type Consumer, createStoredStream, type Nats, type StoredStream } from '@expert-relay/kit/nats';

/** Reads the NATS stream. While NATS is away, each call rejects with an error whose message says so. */
export interface NatsStream extends Pick<StoredStream, 'readState' | 'readOne'> {
  /**
   * All events from a sequence of this epoch on; throws if the stream has another. While `isYielding` is true, the consumer
   * pauses for half of the time.
   */
  openConsumer(options: { epoch: string; seq: number; isYielding?: () => boolean }): Promise<Consumer>;
  /** The revocations that were stored since a time. */
  openRevocations(since: Date): Promise<Consumer>;
}

export function createNatsStream(options: { nats: Nats; prefix: string }): NatsStream {
  const { stream, event } = subjectsFor(options.prefix);
  const stored = createStoredStream({ nats: options.nats, stream, owner: 'hub' });
  return {
    ...stored,
    openConsumer: ({ seq, ...rest }) => stored.openConsumer({ from: { seq }, ...rest }),
    openRevocations: (since) =>
      stored.openConsumer({ from: { time: since }, subject: event('credential_revoked') }),
  };
}
