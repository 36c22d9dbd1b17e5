import { setTimeout as pause } from 'node:timers/promises';
import { subjectsFor } from '@expert-relay/contracts';
import { eventually, startOwnNats } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { openOutbox, type TestOutbox } from '../testing/open-outbox.ts';
import { expectAll, writeAndWait } from '../testing/outbox-steps.ts';

const databaseUrl = process.env.DATABASE_URL ?? '';

describe('faults of NATS', () => {
  test('NATS is away while events are written: they are published when it is back', async () => {
    await using nats = await startOwnNats();
    await using outbox = await openOutbox({ databaseUrl, natsUrl: nats.url });
    const publisher = await outbox.startPublisher();
    await writeAndWait(outbox, 10);
    await nats.kill();
    await outbox.write('a', 700);
    publisher.wake();
    await pause(1_000);
    expect(await outbox.waiting()).toBe(700);
    await nats.start();
    await outbox.untilPublished();
    await expectAll(outbox, 710);
  });

  test('NATS is killed in the middle of a batch: each event is stored once, in order', async () => {
    await using nats = await startOwnNats();
    await using outbox = await openOutbox({ databaseUrl, natsUrl: nats.url });
    const publisher = await outbox.startPublisher();
    await writeAndWait(outbox, 1);
    for (let round = 0; round < 2; round++) {
      for (let request = 0; request < 10; request++) await outbox.write(`request ${request}`, 100);
      publisher.wake();
      // Some of the 1,000 are marked now, some only stored, some only sent.
      while ((await outbox.waiting()) === 1_000) await pause(1);
      await nats.kill();
      await nats.start();
      await outbox.untilPublished();
    }
    await expectAll(outbox, 2_001);
  });

  test('NATS is frozen during a batch: each event is stored once, in order', async () => {
    await using nats = await startOwnNats();
    await using outbox = await openOutbox({ databaseUrl, natsUrl: nats.url });
    await outbox.startPublisher();
    await writeAndWait(outbox, 10);
    nats.freeze();
    await outbox.write('a', 1_000);
    await pause(5_000);
    await outbox.write('a', 10);
    nats.thaw();
    await outbox.untilPublished();
    await expectAll(outbox, 1_020);
  });

  test('the stream lost its tail while no event was written: a new leader and an old one both notice', async () => {
    await using nats = await startOwnNats();
    await using outbox = await openOutbox({ databaseUrl, natsUrl: nats.url });
    const first = await outbox.startPublisher();
    await writeAndWait(outbox, 20);
    await nats.shutDown();
    await nats.save();
    await nats.start();
    for (const newLeader of [false, true]) {
      await writeAndWait(outbox, 10);
      if (newLeader) await first.stop?.();
      await nats.kill();
      await nats.restore();
      await nats.start();
      if (newLeader) await outbox.startPublisher();
      await untilStored(outbox, newLeader ? 40 : 30);
    }
    await expectAll(outbox, 40);
  });

  test('the stream was deleted: it is created again, with all rows that were kept', async () => {
    await using nats = await startOwnNats();
    await using outbox = await openOutbox({ databaseUrl, natsUrl: nats.url });
    await outbox.startPublisher();
    await writeAndWait(outbox, 50);
    const manager = await outbox.nats.connection?.jetstreamManager({ checkAPI: false, timeout: 60_000 });
    await manager?.streams.delete(subjectsFor(outbox.prefix).stream);
    await untilStored(outbox, 50);
    await outbox.write('a', 5);
    await outbox.untilPublished();
    await expectAll(outbox, 55);

    // At once, so that the next publish fails before the leader has checked the stream.
    await manager?.streams.delete(subjectsFor(outbox.prefix).stream);
    await outbox.write('a', 5);
    await untilStored(outbox, 60);
    await expectAll(outbox, 60);
  });
});

async function untilStored(outbox: TestOutbox, count: number): Promise<void> {
  await eventually(`the stream has ${count} events`, async () => {
    const events = await outbox.stored();
    return events.length >= count;
  });
}
