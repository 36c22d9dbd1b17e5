import { startOwnNats } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { openOutbox } from '../testing/open-outbox.ts';
import { expectAll, writeAndWait } from '../testing/outbox-steps.ts';

/* One killed server for every change. The other faults are in nats-faults.test.ts. */

test('NATS was killed, and its stream lost its tail: the lost events are published again, before newer ones', async () => {
  await using nats = await startOwnNats();
  await using outbox = await openOutbox({ databaseUrl: process.env.DATABASE_URL ?? '', natsUrl: nats.url });
  await outbox.startPublisher();
  await writeAndWait(outbox, 20);
  await nats.shutDown();
  await nats.save();
  await nats.start();
  await writeAndWait(outbox, 30);
  const { rows } = await outbox.pool.query('SELECT max(stream_seq)::int AS last FROM outbox_events');
  expect(rows[0].last).toBe(50);

  await nats.kill();
  await nats.restore();
  await outbox.write('a', 10);
  await nats.start();
  await outbox.untilPublished();
  await expectAll(outbox, 60);
  const last = await outbox.pool.query('SELECT max(stream_seq)::int AS last FROM outbox_events');
  expect(last.rows[0].last).toBe(60);
});
