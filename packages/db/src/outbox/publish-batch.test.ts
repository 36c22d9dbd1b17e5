import { randomUUID } from 'node:crypto';
import { newMessageEvent, subjectsFor } from '@expert-relay/contracts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  connect,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from 'nats';
import { publishBatch } from './publish-batch.ts';
import { ensureStream } from './stream.ts';
import type { WaitingRow } from './waiting-rows.ts';

describe('publishBatch', () => {
  const subjects = subjectsFor(`test-${randomUUID().slice(0, 8)}`);
  let connection: NatsConnection;
  let manager: JetStreamManager;
  let jetstream: JetStreamClient;

  beforeEach(async () => {
    connection = await connect({ servers: process.env.NATS_URL ?? '' });
    manager = await connection.jetstreamManager({ checkAPI: false, timeout: 60_000 });
    jetstream = connection.jetstream({ timeout: 60_000 });
    const prefix = subjects.wakeup.split('.')[0] ?? '';
    await ensureStream(manager, { prefix, maxBytes: 2 ** 20, replicas: 1 });
  });
  afterEach(async () => {
    await manager.streams.delete(subjects.stream);
    await connection.close();
  });

  const state = async () => {
    const info = await manager.streams.info(subjects.stream);
    return { createdAt: String(info.created), lastSeq: info.state.last_seq };
  };

  /** A client that loses the publish of one row. */
  const losingClient = (lost: string): JetStreamClient =>
    Object.assign(Object.create(jetstream), {
      publish: (...args: Parameters<JetStreamClient['publish']>) =>
        args[2]?.msgID === lost ? Promise.reject(new Error('lost')) : jetstream.publish(...args),
    });

  test('stores nothing behind an event that was lost, and later the rest in order', async () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(index + 1));
    const lost = rows[4] as WaitingRow;
    const first = await publishBatch(losingClient(lost.id), subjects, rows, await state());
    expect(first.stored).toEqual(rows.slice(0, 4).map(({ id }, index) => ({ id, streamSeq: index + 1 })));
    expect(first).toMatchObject({ unconfirmed: 6, unpublishable: [], reason: 'lost' });
    expect(await state()).toMatchObject({ lastSeq: 4 });

    const second = await publishBatch(jetstream, subjects, rows.slice(4), await state());
    expect(second.stored).toEqual(rows.slice(4).map(({ id }, index) => ({ id, streamSeq: index + 5 })));
  });

  test('states why NATS takes no event, in words', async () => {
    const { config } = await manager.streams.info(subjects.stream);
    await manager.streams.update(subjects.stream, { ...config, max_msgs: 1, discard: DiscardPolicy.New });
    const full = await publishBatch(jetstream, subjects, [row(1), row(2)], await state());
    expect(full).toMatchObject({ unconfirmed: 1, reason: 'maximum messages exceeded' });

    const nowhere = subjectsFor('test-nowhere');
    const none = await publishBatch(jetstream, nowhere, [row(3)], await state());
    expect(none).toMatchObject({ unconfirmed: 1, reason: expect.stringContaining('has no stream for it') });
  });

  test('gets the sequences of events whose acks were lost', async () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(index + 1));
    const first = await publishBatch(jetstream, subjects, rows, await state());
    const again = await publishBatch(jetstream, subjects, rows, await state());
    expect(again).toEqual(first);
    expect(await state()).toMatchObject({ lastSeq: 10 });
  });

  test('stores nothing behind a row that was committed late, and whose followers are stored', async () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(index + 1));
    const late = [2, 3, 7].map((index) => rows[index]);
    const early = rows.slice(0, 8).filter((one) => !late.includes(one));
    const { stored } = await publishBatch(jetstream, subjects, early, await state());
    // Nothing was marked before the leader's end.
    const first = await publishBatch(jetstream, subjects, rows, await state());
    expect(first).toMatchObject({ stored, unconfirmed: 5 });
    const rest = rows.filter((one) => !early.includes(one));
    const second = await publishBatch(jetstream, subjects, rest, await state());
    expect(second.stored).toEqual(rest.map(({ id }, index) => ({ id, streamSeq: index + 6 })));
  });

  test('stores nothing when the last sequence of the stream is another one', async () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(index + 1));
    const before = await state();
    await jetstream.publish(subjects.event('new_message'), '');
    for (const lastSeq of [before.lastSeq, before.lastSeq + 2, before.lastSeq + 5]) {
      const outcome = await publishBatch(jetstream, subjects, rows, { ...before, lastSeq });
      expect(outcome).toMatchObject({ stored: [], unconfirmed: 10, reason: 'wrong last sequence: 1' });
    }
    expect(await state()).toMatchObject({ lastSeq: 1 });
  });
});

function row(seq: number): WaitingRow {
  const payload = Buffer.from(newMessageEvent({ role: 'consumer', messageId: 'm' }).payload);
  const [id, userId] = [randomUUID(), randomUUID()];
  return {
    id,
    userId,
    type: 'new_message',
    payload,
    requestId: 'r',
    refCode: 'HS-AAAAAAAA',
    position: seq,
    seq,
    recordedAt: new Date(),
  };
}
