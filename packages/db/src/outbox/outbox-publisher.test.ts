import { setTimeout as pause } from 'node:timers/promises';
import { subjectsFor } from '@expert-relay/contracts';
import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { countFaults, openOutbox } from '../testing/open-outbox.ts';

const servers = { databaseUrl: process.env.DATABASE_URL ?? '', natsUrl: process.env.NATS_URL ?? '' };

describe('the outbox publisher', () => {
  test('publishes each row once, in the order of its request', async () => {
    await using outbox = await openOutbox(servers);
    for (let round = 0; round < 10; round++) {
      for (let request = 0; request < 10; request++) await outbox.write(`request ${request}`, 20);
    }
    const publisher = await outbox.startPublisher();
    for (let request = 0; request < 10; request++) await outbox.write(`request ${request}`, 20);
    publisher.wake();
    await outbox.untilPublished();
    const events = await outbox.stored();
    expect(events).toHaveLength(2_200);
    expect(countFaults(events)).toEqual({ duplicated: 0, disordered: 0 });
    expect(events[0]).toMatchObject({ requestId: 'request 0', refCode: 'HS-AAAAAAAA', seq: 1n });
  });

  test('publishes rows that are committed long after later ones, and rows that an operator lets wait again', async () => {
    await using outbox = await openOutbox(servers);
    await outbox.startPublisher();
    const slow = await outbox.pool.connect();
    await slow.query('BEGIN');
    await slow.query(`
      INSERT INTO outbox_events (type, payload, user_id, request_id, ref_code, seq)
      VALUES ('new_message', '\\x5200', gen_random_uuid(), 'slow', 'AAAAAAAA', 1)`);
    // While the leader updates its watermark several times.
    for (let round = 0; round < 5; round++) {
      await outbox.write('a', 100);
      await outbox.untilPublished();
      await pause(500);
    }
    await slow.query('COMMIT');
    slow.release();
    await outbox.untilPublished();
    await outbox.pool.query(`
      WITH chosen AS (SELECT id FROM outbox_events WHERE request_id = 'a' ORDER BY position LIMIT 1)
      UPDATE outbox_events SET published_at = NULL, stream_seq = NULL, stream_created_at = NULL
      FROM chosen WHERE outbox_events.id = chosen.id`);
    await outbox.untilPublished();
    const events = await outbox.stored();
    expect(events.filter(({ requestId }) => requestId === 'slow')).toHaveLength(1);
    expect(events).toHaveLength(501);
    expect(countFaults(events)).toEqual({ duplicated: 0, disordered: 0 });
  });

  test('publishes a commit at once after a wakeup, and later without', async () => {
    await using outbox = await openOutbox(servers);
    const publisher = await outbox.startPublisher();
    await outbox.write('a', 1);
    await outbox.untilPublished();

    // Without the wakeup, each would take the half second until the leader looks again. On a busy machine some do.
    await eventually('a row is published at once', async () => {
      await outbox.write('a', 1);
      const start = performance.now();
      publisher.wake();
      await outbox.untilPublished();
      return performance.now() - start < 250;
    });
    await outbox.write('a', 1);
    await outbox.untilPublished();
  });

  test('sets rows aside that can never be published, and publishes those behind them', async () => {
    await using outbox = await openOutbox(servers);
    await outbox.write('a', 3);
    await outbox.pool.query(`
      INSERT INTO outbox_events (type, payload, user_id, request_id, seq) VALUES
        ('new_message', '\\xff', gen_random_uuid(), 'broken', 1),
        ('no * subject', '', gen_random_uuid(), 'broken', 2),
        ('new_message', '\\x52', gen_random_uuid(), 'broken', 3),
        -- The end of a request, cut off in the middle.
        ('request_closed', '\\x6a0108', gen_random_uuid(), 'broken', 4),
        ('new_message', decode(repeat('7a00', 600000), 'hex'), gen_random_uuid(), 'a', 3)`);
    await outbox.write('a', 3);
    const publisher = await outbox.startPublisher();
    await outbox.untilPublished();
    const events = await outbox.stored();
    expect(events.map(({ seq }) => seq)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
    // A leader whose process was paused loses the lock, and takes it again.
    for (const measured of ['set_aside_rows 5', 'waiting_rows 0', 'published_total 6', 'leader 1']) {
      const line = `relay_outbox_${measured.replace(' ', '{service="test"} ')}`;
      await eventually(line, async () => (await publisher.registry.metrics()).split('\n').includes(line));
    }
  });

  test('publishes a type of event that only a newer release knows', async () => {
    await using outbox = await openOutbox(servers);
    await outbox.pool.query(`
      INSERT INTO outbox_events (type, payload, user_id) VALUES ('from_the_future', '\\xa20600', gen_random_uuid())`);
    await outbox.startPublisher();
    await outbox.untilPublished();
    expect(await outbox.stored()).toHaveLength(1);
  });

  test('continues in order when another program writes to the stream', async () => {
    await using outbox = await openOutbox(servers);
    await outbox.startPublisher();
    await outbox.write('a', 1);
    await outbox.untilPublished();
    await outbox.nats.connection
      ?.jetstream({ timeout: 60_000 })
      .publish(subjectsFor(outbox.prefix).event('new_message'), '');
    await outbox.write('a', 1_000);
    await outbox.untilPublished();
    const events = (await outbox.stored()).filter(({ eventId }) => eventId !== '');
    expect(events).toHaveLength(1_001);
    expect(countFaults(events)).toEqual({ duplicated: 0, disordered: 0 });
  });

  test('deletes published rows after their retention', async () => {
    await using outbox = await openOutbox(servers);
    await outbox.write('a', 3);
    const publisher = await outbox.startPublisher();
    await outbox.untilPublished();
    const kept = async () => (await outbox.pool.query('SELECT FROM outbox_events')).rowCount;
    expect(await kept()).toBe(3);
    await publisher.stop?.();
    await outbox.startPublisher({ retentionMs: 300 });
    await eventually('no row is kept', async () => (await kept()) === 0);
  });
});
