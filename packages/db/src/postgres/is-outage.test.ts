import { createLog } from '@expert-relay/kit/log';
import { createTcpProxy, eventually, type TcpProxy } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type Database } from '../database/create-database.ts';
import { createTestDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { isOutage } from './failures.ts';

const server = process.env.DATABASE_URL ?? '';
let target: TestDatabase;
let proxy: TcpProxy;
let database: Database;
/** Its statements fail soon when Postgres does not answer. */
let hasty: Database;
let admin: pg.Client;

beforeAll(async () => {
  target = await createTestDatabase(server);
  proxy = await createTcpProxy(target.url);
  const log = createLog('test', { level: 'silent' });
  const open = async (statementTimeoutMs: number) => {
    const opened = createDatabase({ url: proxy.url, poolSize: 4, log, patience: 60_000, statementTimeoutMs });
    await opened.start?.();
    return opened;
  };
  database = await open(120_000);
  hasty = await open(3_000);
  admin = new pg.Client({ connectionString: server });
  await admin.connect();
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await admin.end();
  for (const opened of [database, hasty]) await opened.stop?.();
  await proxy.stop();
  await target.drop();
});

/** The same failures have different errors. */
const ways = [
  ['a statement', ({ query }: Database, seconds: number) => query`SELECT pg_sleep(${seconds})`],
  [
    'a statement through Prisma',
    ({ prisma }: Database, seconds: number) => prisma.$queryRaw`SELECT pg_sleep(${seconds})::text`,
  ],
  [
    'a transaction of Prisma',
    ({ prisma }: Database, seconds: number) =>
      prisma.$transaction((all) => all.$queryRaw`SELECT pg_sleep(${seconds})::text`, { timeout: 120_000 }),
  ],
] as const;
/** Long enough to be interrupted, and shorter than the statement timeout. */
const sleepSeconds = 100;
/** Waits until a statement is answered, which needs a new connection after the test before. */
const untilAnswered = (statement: () => Promise<unknown>) =>
  eventually('an answer', async () => (await failureOf(statement())) === undefined);
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Waits until Postgres runs a statement that sleeps. */
const untilSleeping = () =>
  eventually('a statement that sleeps', async () => {
    const { rowCount } = await admin.query(
      `SELECT FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'PgSleep'`,
      [new URL(target.url).pathname.slice(1)],
    );
    return rowCount;
  });

describe.each(ways)('%s', (_, ask) => {
  test('fails with an outage when the connection breaks, and while there is none', async () => {
    await untilAnswered(() => ask(database, 0));
    const failing = failureOf(ask(database, sleepSeconds));
    await untilSleeping();
    await proxy.cut();
    expect(isOutage(await failing)).toBe(true);
    expect(isOutage(await failureOf(ask(database, 0)))).toBe(true);
  });

  test('fails with an outage when Postgres does not answer', async () => {
    await untilAnswered(() => ask(hasty, 0));
    proxy.hold();
    expect(isOutage(await failureOf(ask(hasty, 0)))).toBe(true);
  });

  test('fails with an outage when Postgres ends the session', async () => {
    await untilAnswered(() => ask(database, 0));
    const failing = failureOf(ask(database, sleepSeconds));
    await untilSleeping();
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      new URL(target.url).pathname.slice(1),
    ]);
    expect(isOutage(await failing)).toBe(true);
  });
});

/** Has Postgres refuse a statement with this SQLSTATE. */
const raise = (state: string) => `DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${state}'; END $$`;

test.each([
  ['25006', 'read_only_sql_transaction: after a failover'],
  ['28P01', 'invalid_password: while it is being changed'],
  ['28000', 'invalid_authorization_specification'],
  ['3D000', 'invalid_catalog_name: while the database is being restored'],
  ['40001', 'serialization_failure'],
  ['40P01', 'deadlock_detected'],
  ['53100', 'disk_full'],
  ['53200', 'out_of_memory'],
  ['53300', 'too_many_connections'],
  ['55P03', 'lock_not_available'],
  ['57014', 'query_canceled'],
  ['57P01', 'admin_shutdown'],
  ['58030', 'io_error'],
])('SQLSTATE %s is an outage, also through Prisma (%s)', async (state) => {
  await untilAnswered(() => database.query`SELECT`);
  const failed = await Promise.all([
    failureOf(database.query([raise(state)] as unknown as TemplateStringsArray)),
    failureOf(database.prisma.$executeRawUnsafe(raise(state))),
  ]);
  expect(failed.map(isOutage)).toEqual([true, true]);
});

test('a read of Prisma fails with an outage while Postgres is away, and when it does not answer', async () => {
  const count = () => hasty.prisma.user.count();
  await proxy.cut();
  expect(isOutage(await failureOf(count()))).toBe(true);
  await proxy.restore();
  await untilAnswered(count);
  proxy.hold();
  expect(isOutage(await failureOf(count()))).toBe(true);
});

test.each([
  ['a missing table', () => database.query`SELECT FROM nowhere`],
  ['a missing table through Prisma', () => database.prisma.$queryRaw`SELECT 1 FROM nowhere`],
  ['a value of the wrong type', () => database.query`SELECT ${'x'}::uuid`],
])('%s is not an outage', async (_, ask) => {
  await untilAnswered(() => database.query`SELECT`);
  const failure = await failureOf(ask());
  expect(failure).toBeInstanceOf(Error);
  expect(isOutage(failure)).toBe(false);
});

test('statements fail with an outage on a connection whose session Postgres has ended: the running, the next, later ones', async () => {
  const client = new pg.Client({ connectionString: target.url });
  const broken = new Promise((resolve) => client.once('error', resolve));
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const running = failureOf(client.query('SELECT pg_sleep(100)'));
  const waiting = failureOf(client.query('SELECT'));
  await untilSleeping();
  await admin.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
  const failed = [await running, await waiting];
  await broken;
  failed.push(await failureOf(client.query('SELECT')));
  await client.end();
  failed.push(await failureOf(client.query('SELECT')));
  // The first has the SQLSTATE 57P01, the others have only a text of node-postgres.
  expect(failed.filter((error) => !isOutage(error))).toEqual([]);
});
