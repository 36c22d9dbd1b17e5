import { type Subjects, subjectsFor } from '@expert-relay/contracts';
import type { Nats } from '@expert-relay/kit/nats';
import type { JetStreamManager, NatsConnection, NatsError } from 'nats';
import { epochOf } from '../feed/position.ts';
import { type Consumer, openConsumer } from './open-consumer.ts';

/** What NATS says of the stream at this moment. */
export interface StreamState {
  readonly epoch: string;
  /** The oldest event that is still there; one beyond `lastSeq` when there is none. */
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** The stream in NATS, as something to read. Everything here fails with a sentence while NATS is away. */
export interface StreamSource {
  look(): Promise<StreamState>;
  /** The bytes of one event; undefined when it is not there (any more). */
  event(seq: number): Promise<Uint8Array | undefined>;
  /** All events from a sequence on. The consumer leaves time to others while `isYielding` is true. */
  open(seq: number, isYielding?: () => boolean): Promise<Consumer>;
  /** The revocations that NATS has stored since. */
  openRevocations(since: Date): Promise<Consumer>;
}

const timeout = 2_000;

// NATS's own numbers, from its server/errors.json.
const noStream = 10059;
const noMessage = 10037;

export function createStreamSource(options: { nats: Nats; prefix: string }): StreamSource {
  const { nats } = options;
  const { stream, event }: Subjects = subjectsFor(options.prefix);

  async function reach(): Promise<{ connection: NatsConnection; manager: JetStreamManager; stream: string }> {
    const { connection, connected } = nats;
    if (!connection || !connected) throw new Error('NATS is away');
    return { connection, manager: await connection.jetstreamManager({ checkAPI: false, timeout }), stream };
  }

  return {
    async look() {
      const { manager } = await reach();
      try {
        const { created, state } = await manager.streams.info(stream);
        return { epoch: epochOf(created), firstSeq: Math.max(state.first_seq, 1), lastSeq: state.last_seq };
      } catch (error) {
        if (errorCode(error) !== noStream) throw error;
        throw new Error(
          `the stream ${stream} does not exist yet: the requests and messages services make it`,
        );
      }
    },
    async event(seq) {
      const { manager } = await reach();
      try {
        return (await manager.streams.getMessage(stream, { seq })).data;
      } catch (error) {
        if (errorCode(error) === noMessage) return undefined;
        throw error;
      }
    },
    async open(seq, isYielding) {
      return openConsumer({ ...(await reach()), from: { seq }, isYielding });
    },
    async openRevocations(since) {
      return openConsumer({
        ...(await reach()),
        from: { time: since },
        subject: event('credential_revoked'),
      });
    },
  };
}

function errorCode(error: unknown): number | undefined {
  return (error as NatsError).api_error?.err_code;
}
