import { randomBytes, randomUUID } from 'node:crypto';

/** Publishes events to NATS directly, in the format of the outbox. */
interface EventPublisher {
  /** Publishes the next event of a request. */
  publish(requestId: string): void;
  /** Publishes `count` events, of the requests in turn; resolves when the stream has stored them. */
  publishMany(requestIds: readonly string[], count: number): Promise<void>;
  /** The position of the stream's first event, as a hub expects it. */
  firstPosition(): Promise<string>;
  close(): Promise<void>;
}

export async function openEventPublisher(url: string, prefix: string): Promise<EventPublisher> {
  // Imported here because the package is not built yet when this file is loaded.
  const { encodePublished, EventHead, newMessageEvent, subjectsFor } = await import(
    '@expert-relay/contracts'
  );
  const { connection, close } = await connectNats(url);
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const { stream, allEvents, event } = subjectsFor(prefix);
  await manager.streams.add({ name: stream, subjects: [allEvents], max_bytes: 2 ** 28 });
  const [userId, subject] = [randomUUID(), event('new_message')];
  const seqs = new Map<string, bigint>();

  function publish(requestId: string): void {
    const seq = (seqs.get(requestId) ?? 0n) + 1n;
    seqs.set(requestId, seq);
    const about = {
      eventId: randomUUID(),
      recordedAt: new Date(),
      userId,
      requestId,
      refCode: 'HS-7K2M9QXA',
    };
    const payload = newMessageEvent({ role: 'provider', messageId: randomUUID() }).payload;
    connection.publish(subject, encodePublished({ ...about, seq }, payload));
  }

  return {
    publish,
    async publishMany(requestIds, count) {
      const before = (await manager.streams.info(stream)).state.messages;
      for (let n = 0; n < count; n++) {
        publish(requestIds[n % requestIds.length] ?? '');
        if (n % 500 === 499) await connection.flush();
      }
      await connection.flush();
      for (let tries = 0; tries < 200; tries++) {
        if ((await manager.streams.info(stream)).state.messages >= before + count) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('NATS did not store all events within 10 s');
    },
    async firstPosition() {
      const { created, state } = await manager.streams.info(stream);
      const { data } = await manager.streams.getMessage(stream, { seq: state.first_seq });
      const epoch = Date.parse(created).toString(36);
      return `${epoch}.${state.first_seq}.${new EventHead(data).eventId.slice(-8)}`;
    },
    close,
  };
}

/** The bench's own connection to NATS. */
export async function connectNats(url: string) {
  // Imported here because the package is not built yet when this file is loaded.
  const { createNats } = await import('@expert-relay/kit/nats');
  const { createLog } = await import('@expert-relay/kit/log');
  const nats = createNats({ url, name: 'bench', log: createLog('bench', { level: 'error' }) });
  const connecting = new Promise<NonNullable<typeof nats.connection>>((resolve) =>
    nats.onConnection(resolve),
  );
  await nats.start?.();
  return { connection: await connecting, close: async () => nats.stop?.() };
}

/** In the format of the requests service. */
export const makeRequestId = (): string => randomBytes(16).toString('base64url');

/** The path of a request's stream at a hub. */
export const pathOf = (requestId: string): string => `/?topic=/svc/requests/${requestId}`;
