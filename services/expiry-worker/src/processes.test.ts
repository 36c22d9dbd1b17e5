import { captureLogs, eventually, testServers } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { countRequests } from './testing/count-requests.ts';
import { createTestSetup, type TestSetup } from './testing/create-test-setup.ts';
import { seedRequests } from './testing/seed-requests.ts';
import { spawnWorker, type WorkerProcess } from './testing/spawn-worker.ts';

/* Workers as real processes: killed with SIGKILL, or on a machine whose clock is wrong. */

const { databaseUrl: server, redisUrl } = testServers();
const hour = 3_600_000;
const workers: WorkerProcess[] = [];
let setup: TestSetup;

beforeAll(async () => {
  setup = await createTestSetup({ server, redisUrl, log: captureLogs().logOf('expiry-worker') });
});

afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill();
  await setup.reset();
});

afterAll(() => setup.stop());

function start(options: { ttl?: string; clockShift?: number } = {}): WorkerProcess {
  const { ttl, clockShift } = options;
  const worker = spawnWorker(setup.environment(ttl === undefined ? {} : { ttl }), clockShift);
  workers.push(worker);
  return worker;
}

/** Waits until all have ended: each once, with one event, none early. */
async function allEndedOnce(count: number): Promise<void> {
  const isDone = async () => (await countRequests(setup.prisma)).expired === count;
  await eventually(`${count} requests ended`, isDone);
  const once = {
    requests: count,
    expired: count,
    events: count,
    early: 0,
    repeated: 0,
    missing: 0,
    wrongStages: 0,
  };
  expect(await countRequests(setup.prisma)).toEqual(once);
}

describe('a worker that is killed in the middle of a batch', () => {
  let blocker: pg.Client;

  // While the test has the lock, a statement that ends requests waits for it in its middle: the rows are changed, and the
  // event is not inserted.
  beforeAll(async () => {
    blocker = new pg.Client({ connectionString: setup.databaseUrl });
    await blocker.connect();
    await blocker.query(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END';
      CREATE TRIGGER wait_for_test BEFORE INSERT ON outbox_events
        FOR EACH ROW EXECUTE FUNCTION wait_for_test()`);
  });
  afterEach(() => blocker.query('SELECT pg_advisory_unlock_all()'));
  afterAll(async () => {
    await blocker.query('DROP FUNCTION wait_for_test CASCADE');
    await blocker.end();
  });

  /** Lets a batch wait in its middle, and kills its worker there. */
  async function killInBatch(): Promise<void> {
    await blocker.query('SELECT pg_advisory_lock(1)');
    const worker = start();
    await eventually('its batch waits', async () => (await waiting()).length > 0);
    await worker.kill();
  }

  /** The connections whose batch waits. */
  async function waiting(): Promise<number[]> {
    const { rows } = await blocker.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
    );
    return rows.map(({ pid }) => pid);
  }

  test('and whose transaction is rolled back: another worker ends the same requests', async () => {
    await seedRequests(setup.prisma, { count: 5_000, dueIn: -1_000 });
    await setup.startPublisher();
    await killInBatch();
    for (const pid of await waiting()) await blocker.query('SELECT pg_terminate_backend($1)', [pid]);
    await eventually('it is rolled back', async () => (await waiting()).length === 0);
    await blocker.query('SELECT pg_advisory_unlock(1)');
    expect(await countRequests(setup.prisma)).toMatchObject({ expired: 0, events: 0 });

    start();
    await allEndedOnce(5_000);
  });

  test('and whose transaction Postgres still commits: another worker ends the rest', async () => {
    await seedRequests(setup.prisma, { count: 5_000, dueIn: -1_000 });
    await setup.startPublisher();
    await killInBatch();
    start();
    await blocker.query('SELECT pg_advisory_unlock(1)');
    await allEndedOnce(5_000);
  });
});

describe('a worker whose clock is wrong', () => {
  test.each([
    ['ahead', hour],
    ['behind', -hour],
  ])('%s by an hour ends no request early and misses none', async (_, clockShift) => {
    await seedRequests(setup.prisma, { count: 300, dueIn: 3_000, apart: 5 });
    start({ ttl: '20s', clockShift });
    await allEndedOnce(300);
  });
});
