import { randomUUID } from 'node:crypto';
import { connectNats } from '../../stage/connect-nats.ts';

/** Puts events straight into the stream, as the outbox relay would. */
export interface Announcer {
  /** One more event of a request. */
  announce(requestId: string): void;
  /** So many events, of all these requests in turn; resolves when the stream holds them. */
  announceAll(requestIds: readonly string[], count: number): Promise<void>;
  /** How the stream's first event is named to a hub. */
  firstPosition(): Promise<string>;
  close(): Promise<void>;
}

export async function openAnnouncer(url: string, prefix: string): Promise<Announcer> {
  // Not built yet when this file is loaded.
  const { encodeEnvelope, EventHead, newMessagePayload, subjectsFor } = await import(
    '@expert-relay/contracts'
  );
  const { connection, close } = await connectNats(url);
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const { stream, allEvents, event } = subjectsFor(prefix);
  await manager.streams.add({ name: stream, subjects: [allEvents], max_bytes: 2 ** 28 });
  const [userId, subject] = [randomUUID(), event('new_message')];
  const seqs = new Map<string, bigint>();

  function announce(requestId: string): void {
    const seq = (seqs.get(requestId) ?? 0n) + 1n;
    seqs.set(requestId, seq);
    const about = {
      eventId: randomUUID(),
      recordedAt: new Date(),
      userId,
      requestId,
      refCode: 'HS-7K2M9QXA',
    };
    const payload = newMessagePayload({ role: 'provider', messageId: randomUUID() });
    connection.publish(subject, encodeEnvelope({ ...about, seq }, payload));
  }

  return {
    announce,
    async announceAll(requestIds, count) {
      const before = (await manager.streams.info(stream)).state.messages;
      for (let n = 0; n < count; n++) {
        announce(requestIds[n % requestIds.length] ?? '');
        if (n % 500 === 499) await connection.flush();
      }
      await connection.flush();
      for (let tries = 0; tries < 200; tries++) {
        if ((await manager.streams.info(stream)).state.messages >= before + count) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('NATS did not take all events within 10 s');
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
