import { randomUUID } from 'node:crypto';
import { subjectsFor } from '@expert-relay/contracts';
import {
  connect,
  ErrorCode,
  type JetStreamManager,
  type NatsConnection,
  type NatsError,
  nanos,
  type PubAck,
} from 'nats';
import type { TestEvent } from './make-event.ts';

/** A stream in a real NATS for one test, to which events are published as the outbox does. */
export interface TestStream extends AsyncDisposable {
  readonly prefix: string;
  readonly name: string;
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  make(): Promise<void>;
  /** Publishes in order; returns the sequence of the last event. */
  publish(...events: readonly TestEvent[]): Promise<number>;
}

export async function openTestStream(natsUrl = process.env.NATS_URL): Promise<TestStream> {
  const prefix = `hub-${randomUUID().slice(0, 13)}`;
  const { stream: name, allEvents, event: subjectOf } = subjectsFor(prefix);
  const connection = await connect({
    servers: natsUrl ?? '',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 60_000 });
  const jetstream = connection.jetstream();
  /** Publishes again when NATS answers late. The id prevents a second copy. */
  async function store(event: TestEvent): Promise<PubAck> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await jetstream.publish(subjectOf(event.type), event.bytes, { msgID: event.eventId });
      } catch (error) {
        if ((error as Partial<NatsError>).code !== ErrorCode.Timeout || attempt === 12) throw error;
      }
    }
  }
  const make = async () => {
    const config = { name, subjects: [allEvents], max_bytes: 64 * 1_024 * 1_024 };
    await manager.streams.add({ ...config, duplicate_window: nanos(600_000) });
  };
  await make();

  return {
    prefix,
    name,
    connection,
    manager,
    make,
    async publish(...events) {
      let last = 0;
      for (let at = 0; at < events.length; at += 200) {
        for (const ack of await Promise.all(events.slice(at, at + 200).map(store))) last = ack.seq;
      }
      return last;
    },
    async [Symbol.asyncDispose]() {
      if (!connection.isClosed()) await manager.streams.delete(name).catch(() => {});
      await connection.close();
    },
  };
}
