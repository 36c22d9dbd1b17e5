import { subjectsFor } from '@expert-relay/contracts';
import { isApiError, type Nats } from '@expert-relay/kit/nats';
import { Events, type JetStreamManager, type NatsConnection } from 'nats';
import { type Consumer, openConsumer } from './ordered-consumer.ts';

/** The state of the NATS stream. */
export interface StoredStreamState {
  readonly epoch: string;
  /** The oldest message that is still there; `lastSeq` + 1 when there is none. */
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** Reads the NATS stream. While NATS is away, each call rejects with an error whose message says so. */
export interface NatsStream {
  readState(): Promise<StoredStreamState>;
  /** The bytes of one message; undefined when the stream does not hold it. */
  readOne(sequence: number): Promise<Uint8Array | undefined>;
  /**
   * All events from a sequence of this epoch on; throws if the stream has another. While `isYielding` is true, the consumer
   * pauses for half of the time. It ends when NATS was away.
   */
  openConsumer(options: { epoch: string; sequence: number; isYielding?: () => boolean }): Promise<Consumer>;
}

const timeoutMs = 2_000;

/** Which stream a sequence belongs to. `created` is the time at which NATS created it, as RFC 3339. */
export const epochOf = (created: string): string => Date.parse(created).toString(36);

export function createNatsStream(options: { nats: Nats; prefix: string }): NatsStream {
  const { nats, prefix } = options;
  const { stream } = subjectsFor(prefix);
  const open = new Set<Consumer>();
  nats.onConnection(async (connection) => {
    for await (const status of connection.status()) {
      if (status.type !== Events.Reconnect) continue;
      for (const consumer of open) consumer.end('the connection to NATS was opened again');
    }
  });

  async function requireConnection(): Promise<{
    connection: NatsConnection;
    manager: JetStreamManager;
    stream: string;
  }> {
    const { connection, connected } = nats;
    if (!connection || !connected) throw new Error('NATS is away');
    return {
      connection,
      manager: await connection.jetstreamManager({ checkAPI: false, timeout: timeoutMs }),
      stream,
    };
  }

  async function readState(): Promise<StoredStreamState> {
    const { manager } = await requireConnection();
    try {
      const { created, state } = await manager.streams.info(stream);
      return { epoch: epochOf(created), firstSeq: Math.max(state.first_seq, 1), lastSeq: state.last_seq };
    } catch (error) {
      if (!isApiError(error, 'streamNotFound')) throw error;
      throw new Error(`the stream ${stream} does not exist yet: the requests and messages services make it`);
    }
  }

  // When a stream was created again, all subscribers reconnect with positions that must be looked up.
  const readSharedState = shareCalls(readState);

  return {
    readState: readSharedState,
    async readOne(sequence) {
      const { manager } = await requireConnection();
      try {
        return (await manager.streams.getMessage(stream, { seq: sequence })).data;
      } catch (error) {
        if (isApiError(error, 'messageNotFound')) return undefined;
        throw error;
      }
    },
    async openConsumer({ epoch, sequence, isYielding }) {
      const consumer = await openConsumer({ ...(await requireConnection()), from: sequence, isYielding });
      open.add(consumer);
      void consumer.ended.then(() => open.delete(consumer));
      try {
        // Only now: the stream may have been created again while the consumer was opened.
        if ((await readSharedState()).epoch !== epoch) throw new Error('the stream was created again');
        return consumer;
      } catch (error) {
        consumer.end('not used');
        throw error;
      }
    },
  };
}

/** While a call runs, further callers share the next one: none gets a result from before its own call. */
function shareCalls<T>(call: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= last
      .catch(() => {})
      .then(() => {
        next = undefined;
        return call();
      });
    last = next;
    return next;
  };
}
