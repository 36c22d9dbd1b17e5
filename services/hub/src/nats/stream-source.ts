import { type Subjects, subjectsFor } from '@expert-relay/contracts';
import type { Nats } from '@expert-relay/kit/nats';
import type { JetStreamManager, NatsConnection, NatsError } from 'nats';
import { epochOf } from '../events/position.ts';
import { type Consumer, openConsumer } from './consumer.ts';

/** The state of the stream in NATS. */
export interface StreamState {
  readonly epoch: string;
  /** The oldest event that is still there; `lastSeq` + 1 when there is none. */
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** Reads the stream in NATS. While NATS is away, each call rejects with an error whose message says so. */
export interface StreamSource {
  readState(): Promise<StreamState>;
  /** The bytes of one event; undefined when the stream does not hold it. */
  readOne(seq: number): Promise<Uint8Array | undefined>;
  /** All events from a sequence on. While `isYielding` is true, the consumer pauses for half of the time. */
  openConsumer(seq: number, isYielding?: () => boolean): Promise<Consumer>;
  /** The revocations that were stored since a time. */
  openRevocations(since: Date): Promise<Consumer>;
}

const timeoutMs = 2_000;

// Error codes of NATS, from its server/errors.json.
const streamNotFound = 10059;
const messageNotFound = 10037;

export function createStreamSource(options: { nats: Nats; prefix: string }): StreamSource {
  const { nats } = options;
  const { stream, event }: Subjects = subjectsFor(options.prefix);

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

  async function readState(): Promise<StreamState> {
    const { manager } = await requireConnection();
    try {
      const { created, state } = await manager.streams.info(stream);
      return { epoch: epochOf(created), firstSeq: Math.max(state.first_seq, 1), lastSeq: state.last_seq };
    } catch (error) {
      if (errorCode(error) !== streamNotFound) throw error;
      throw new Error(`the stream ${stream} does not exist yet: the requests and messages services make it`);
    }
  }

  return {
    // When a stream was created again, all readers reconnect with positions that the hub must look up.
    readState: shareCalls(readState),
    async readOne(seq) {
      const { manager } = await requireConnection();
      try {
        return (await manager.streams.getMessage(stream, { seq })).data;
      } catch (error) {
        if (errorCode(error) === messageNotFound) return undefined;
        throw error;
      }
    },
    async openConsumer(seq, isYielding) {
      return openConsumer({ ...(await requireConnection()), from: { seq }, isYielding });
    },
    async openRevocations(since) {
      return openConsumer({
        ...(await requireConnection()),
        from: { time: since },
        subject: event('credential_revoked'),
      });
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

function errorCode(error: unknown): number | undefined {
  return (error as NatsError).api_error?.err_code;
}
