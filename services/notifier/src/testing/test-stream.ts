import { randomUUID } from 'node:crypto';
import { encodePublished, newMessageEvent, newRequestEvent, subjectsFor } from '@expert-relay/contracts';
import { createNats, type Nats } from '@expert-relay/kit/nats';
import { connect, type JetStreamManager } from 'nats';
import { silent } from './test-database.ts';

export interface TestStream extends AsyncDisposable {
  readonly name: string;
  readonly nats: Nats;
  readonly manager: JetStreamManager;
  make(): Promise<void>;
  /** The names of the consumers that read it. */
  consumers(): Promise<string[]>;
  newRequest(requestId: string): Promise<void>;
  newMessage(requestId: string, messageId: string): Promise<void>;
  /** A message that is not an event. */
  junk(): Promise<void>;
}

/** A stream in a real NATS, to which events are published as the outbox does. */
export async function openStream(): Promise<TestStream> {
  const prefix = `notifier-${randomUUID().slice(0, 13)}`;
  const { stream: name, allEvents, event } = subjectsFor(prefix);
  const servers = process.env.NATS_URL ?? '';
  const connection = await connect({ servers });
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 60_000 });
  const jetstream = connection.jetstream();
  const nats = createNats({ url: servers, name: 'test', log: silent });
  await nats.start?.();
  const make = async () => {
    await manager.streams.add({ name, subjects: [allEvents], max_bytes: 4 * 1_024 * 1_024 });
  };
  await make();
  const head = (requestId: string) => ({
    ...{ eventId: randomUUID(), recordedAt: new Date(), userId: randomUUID() },
    ...{ requestId, refCode: 'HS-00000000', seq: 1n },
  });
  return {
    name,
    nats,
    manager,
    make,
    async consumers() {
      const names: string[] = [];
      for await (const consumer of manager.consumers.list(name)) names.push(consumer.name);
      return names;
    },
    async newRequest(requestId) {
      await jetstream.publish(
        event('new_request'),
        encodePublished(head(requestId), newRequestEvent({ question: '' }).payload),
      );
    },
    async newMessage(requestId, messageId) {
      const payload = newMessageEvent({ role: 'consumer', messageId }).payload;
      await jetstream.publish(event('new_message'), encodePublished(head(requestId), payload));
    },
    async junk() {
      await jetstream.publish(event('new_message'), Buffer.from([0xff, 0xff]));
    },
    async [Symbol.asyncDispose]() {
      await nats.stop?.();
      await manager.streams.delete(name).catch(() => {});
      await connection.close();
    },
  };
}
