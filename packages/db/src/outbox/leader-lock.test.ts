import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '@expert-relay/kit/log';
import { createTcpProxy, eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { countFaults, openOutbox, type TestOutbox } from '../testing/open-outbox.ts';
import { runAsLeader } from './leader-lock.ts';

const servers = { databaseUrl: process.env.DATABASE_URL ?? '', natsUrl: process.env.NATS_URL ?? '' };

describe('the leader lock', () => {
  test('another publisher takes over within seconds when Postgres ends the leader', async () => {
    await using outbox = await openOutbox(servers);
    await outbox.startPublisher();
    await outbox.startPublisher();
    for (let turn = 0; turn < 3; turn++) {
      const before = await leaderPid(outbox);
      await outbox.pool.query('SELECT pg_terminate_backend($1)', [before]);
      await untilAnotherLeads(outbox, before);
      await outbox.write('a', 10);
      await outbox.untilPublished();
    }
    expect(countFaults(await outbox.stored())).toEqual({ duplicated: 0, disordered: 0 });
  });

  test('another publisher takes over within seconds when the network drops all that the leader sends', async () => {
    await using outbox = await openOutbox(servers);
    await using proxy = await createTcpProxy(outbox.databaseUrl);
    await outbox.startPublisher({ directUrl: proxy.url });
    const before = await leaderPid(outbox);
    await outbox.startPublisher();
    proxy.hold();
    await untilAnotherLeads(outbox, before);
    await outbox.write('a', 10);
    await outbox.untilPublished();
    expect(countFaults(await outbox.stored())).toEqual({ duplicated: 0, disordered: 0 });
  });

  test('another publisher takes over when the leader is frozen inside a transaction', async () => {
    await using outbox = await openOutbox(servers);
    await using proxy = await createTcpProxy(outbox.databaseUrl);
    const stopping = new AbortController();
    let isFrozen = false;
    const leading = runAsLeader({
      url: proxy.url,
      log: createLog('test', { level: 'silent' }),
      signal: stopping.signal,
      async lead(client, signal) {
        await client.query('BEGIN');
        proxy.hold();
        isFrozen = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    await eventually('the leader is frozen', () => isFrozen);
    const before = await leaderPid(outbox);
    await outbox.startPublisher();
    await eventually('another one leads', async () => (await leaderPid(outbox)) !== before);
    stopping.abort();
    await leading;
  });

  test('a failure that has nothing to do with Postgres is logged unchanged', async () => {
    await using outbox = await openOutbox(servers);
    const stopping = new AbortController();
    const logged: string[] = [];
    const log = createLog('test', {
      level: 'warn',
      destination: { write: (line) => void logged.push(line) },
    });
    const leading = runAsLeader({
      url: outbox.databaseUrl,
      log,
      signal: stopping.signal,
      lead: () => Promise.reject(new Error('a defect')),
    });
    await eventually('a log line', () => logged.length > 0);
    stopping.abort();
    await leading;
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      reason: 'a defect',
      msg: 'the outbox publisher failed: trying again',
    });
  });

  test('when a leader stops, its session ends and another publisher leads', async () => {
    await using outbox = await openOutbox(servers);
    const first = await outbox.startPublisher();
    const before = await leaderPid(outbox);
    await outbox.startPublisher();
    await first.stop?.();
    await untilAnotherLeads(outbox, before);
    const session = () => outbox.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [before]);
    await eventually('the session has ended', async () => (await session()).rowCount === 0);
  });

  test('no event is lost or published twice while leaders change', async () => {
    await using outbox = await openOutbox(servers);
    const publishers = await Promise.all(Array.from({ length: 4 }, () => outbox.startPublisher()));
    for (const publisher of publishers.slice(1)) {
      const writing = Array.from({ length: 5 }, async (_, request) => {
        for (let part = 0; part < 20; part++) await outbox.write(`request ${request}`, 5);
      });
      await outbox.pool.query('SELECT pg_terminate_backend($1)', [await leaderPid(outbox)]);
      await Promise.all(writing);
      await publisher.stop?.();
    }
    await outbox.untilPublished();
    const events = await outbox.stored();
    expect(events).toHaveLength(1_500);
    expect(countFaults(events)).toEqual({ duplicated: 0, disordered: 0 });
  });

  test('a publisher stops while Postgres is away', async () => {
    await using outbox = await openOutbox(servers);
    const publisher = await outbox.startPublisher({ directUrl: 'postgres://postgres@127.0.0.1:1/nowhere' });
    await pause(300);
    // The publisher tries to connect for as long as it runs, so without the abort this would never resolve.
    await publisher.stop?.();
  });
});

/** It takes at most two seconds on a machine that is not busy. Without the timeouts of the session it takes minutes. */
async function untilAnotherLeads(outbox: TestOutbox, before: number): Promise<void> {
  await eventually('another one leads', async () => (await leaderPid(outbox)) !== before);
}

/** The Postgres process of the session that holds the lock; waits until there is one. */
function leaderPid(outbox: TestOutbox): Promise<number> {
  return eventually('one process leads', async () => {
    const { rows } = await outbox.pool.query<{ pid: number }>(
      `SELECT lock.pid FROM pg_locks AS lock JOIN pg_database AS db ON db.oid = lock.database
       WHERE lock.locktype = 'advisory' AND lock.granted AND db.datname = current_database()`,
    );
    return rows[0]?.pid;
  });
}
