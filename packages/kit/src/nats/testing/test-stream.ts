import { randomUUID } from 'node:crypto';
import { connect, type JetStreamManager, type NatsConnection } from 'nats';

/** A stream in a real NATS for one test. Its messages have the stream's name as their subject. */
export interface TestStream extends AsyncDisposable {
  readonly name: string;
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  make(): Promise<void>;
}

export async function openTestStream(natsUrl: string): Promise<TestStream> {
  const name = `kit-${randomUUID().slice(0, 13)}`;
  const connection = await connect({ servers: natsUrl });
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 60_000 });
  const make = async () => {
    await manager.streams.add({ name, subjects: [name], max_bytes: 4 * 1_024 * 1_024 });
  };
  await make();
  return {
    name,
    connection,
    manager,
    make,
    async [Symbol.asyncDispose]() {
      await manager.streams.delete(name).catch(() => {});
      await connection.close();
    },
  };
}
