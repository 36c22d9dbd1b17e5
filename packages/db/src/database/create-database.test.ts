import { createLog } from '@expert-relay/kit/log';
import { createTcpProxy, eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../migrations/migrate.ts';
import { isOpen, overdue, statusNow } from '../request/conditions.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../testing/create-test-database.ts';
import { createDatabase, type Database } from './create-database.ts';
import { createPostgres } from './create-postgres.ts';

const server = process.env.DATABASE_URL ?? '';

describe('createDatabase', () => {
  let target: TestDatabase;
  let admin: pg.Pool;
  let logged: string[];
  let opened: Database[];

  /** With a patience and a statement timeout that a Postgres that is only slow does not reach. */
  function open(url = target.url, { patience = 60_000, statementTimeoutMs = 60_000 } = {}): Database {
    const log = createLog('test', {
      level: 'info',
      destination: { write: (line) => void logged.push(line) },
    });
    const database = createDatabase({ url, poolSize: 2, log, patience, statementTimeoutMs });
    opened.push(database);
    return database;
  }

  async function use(template: Promise<TestDatabase>): Promise<void> {
    target = await template;
    admin = new pg.Pool({ connectionString: server, max: 1 });
  }

  beforeEach(() => {
    logged = [];
    opened = [];
  });
  afterEach(async () => {
    for (const database of opened) await database.stop?.();
    await admin.end();
    await target.drop();
  });

  test('works, and closes all its connections', async () => {
    await use(createTestDatabase(server));
    const database = open();
    await database.start?.();
    expect(database.notReady?.()).toBeUndefined();
    expect(await database.prisma.user.count()).toBe(0);
    await opened.pop()?.stop?.();
    const connections = () =>
      admin.query('SELECT FROM pg_stat_activity WHERE datname = $1', [new URL(target.url).pathname.slice(1)]);
    await eventually('no connection', async () => (await connections()).rowCount === 0);
  });

  test('fails at once when waiting cannot help', async () => {
    await use(createTestDatabase(server));
    const wrong = target.url.replace(/relay_test\w+/, 'nowhere');
    await expect(open(wrong).start?.()).rejects.toThrow(
      `Postgres at ${new URL(server).host} refused: there is no database "nowhere". Check DATABASE_URL.`,
    );
    expect(logged.filter((line) => line.includes('refused'))).toEqual([]);
  });

  test('waits for a Postgres that is away, logs it, and finally gives up', async () => {
    await use(createTestDatabase(server));
    await expect(open('postgres://postgres@127.0.0.1:1/relay', { patience: 500 }).start?.()).rejects.toThrow(
      /^Postgres at 127\.0\.0\.1:1 is not reachable: the connection was refused .* Check DATABASE_URL\.$/,
    );
    expect(logged.filter((line) => line.includes('Postgres is away: trying again in'))).not.toHaveLength(0);
  });

  test('becomes ready without a restart when the database has the migrations', async () => {
    await use(createEmptyDatabase(server));
    const database = open();
    await database.start?.();
    expect(database.notReady?.()).toMatch(
      /^the database lacks the migrations? \d+_init.*: waiting until it is applied \(if no migration is running, run migrate\)$/,
    );
    expect(database.dependency?.away()).toBeUndefined();
    await migrate({ url: target.url, report: () => {} });
    await eventually('readiness', () => database.notReady?.() === undefined);

    const newer = new pg.Client({ connectionString: target.url });
    await newer.connect();
    await newer.query(`
      INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('newer', '', '20990101000000_newer', now())`);
    await newer.end();
    const next = open();
    await next.start?.();
    expect(next.notReady?.()).toBeUndefined();
  });

  test('is not ready while a migration of another program is not finished', async () => {
    await use(createTestDatabase(server));
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE $1', [
      '%_init',
    ]);
    await client.end();
    const database = open();
    await database.start?.();
    expect(database.notReady?.()).toMatch(
      /^the migration \d+_init is not finished: waiting until it is applied/,
    );
  });

  test('is not ready while Postgres does not respond, and becomes ready again without a restart', async () => {
    await use(createTestDatabase(server));
    await using proxy = await createTcpProxy(target.url);
    const database = open(proxy.url, { statementTimeoutMs: 1_000 });
    await database.start?.();
    proxy.hold();
    await eventually('no readiness', () => database.notReady?.() !== undefined);
    expect(database.dependency?.away()).toContain('is not reachable');
    await expect(database.prisma.user.count()).rejects.toThrow();
    await proxy.restore();
    await eventually('readiness', () => database.notReady?.() === undefined);
    const count = () => database.prisma.user.count().catch(() => undefined);
    await eventually('a response', async () => (await count()) === 0);
  });

  test('survives Postgres ending its connections', async () => {
    await use(createTestDatabase(server));
    const database = open();
    await database.start?.();
    const name = new URL(target.url).pathname.slice(1);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    // A statement may still be sent over a connection whose end the pool has not noticed.
    const count = () => database.prisma.user.count().catch(() => undefined);
    await eventually('a response over a new connection', async () => (await count()) === 0);
    await eventually('readiness', () => database.notReady?.() === undefined);
  });

  test('reads times correctly from a server in another time zone', async () => {
    await use(createTestDatabase(server));
    const name = new URL(target.url).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} SET timezone TO 'Asia/Kolkata'`);
    const { prisma } = open();
    await prisma.user.create({ data: { name: 'Ada' } });
    const [row] = await prisma.$queryRaw<{ now: Date; age: number }[]>`
      SELECT now(), abs(extract(epoch FROM now() - created_at))::float8 AS age FROM users`;
    expect(Math.abs((row?.now.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(row?.age).toBeLessThan(60);
  });

  test('plans each time, if it is asked to, although its statements are prepared', async () => {
    await use(createTestDatabase(server));
    const log = createLog('test', { level: 'silent' });
    const postgres = createPostgres({ url: target.url, poolSize: 1, log, plansEachTime: true });
    await postgres.start();
    try {
      const read = () => postgres.query<{ custom: number; generic: number }>`
        SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
        WHERE generic_plans + custom_plans > ${0}::int`;
      for (let n = 0; n < 10; n++) await read();
      // Postgres keeps a plan from the sixth time on.
      expect(await read()).toEqual([{ custom: 11, generic: 0 }]);
    } finally {
      await postgres.stop();
    }
  });

  test('the clock of Postgres decides whether a request has expired', async () => {
    await use(createTestDatabase(server));
    const { prisma } = open();
    const rows = await prisma.$queryRaw<unknown[]>`
      SELECT ${statusNow} AS status, ${isOpen} AS open, ${overdue} AS overdue
      FROM (VALUES
        ('pending'::request_status, now() + interval '1 minute'),
        ('responded', now() + interval '1 minute'),
        ('pending', now()),
        ('responded', now() - interval '1 day'),
        ('closed', now() - interval '1 day'),
        ('expired', now() - interval '1 day')) AS request (status, expires_at)`;
    expect(rows).toEqual([
      { status: 'pending', open: true, overdue: false },
      { status: 'responded', open: true, overdue: false },
      { status: 'expired', open: false, overdue: true },
      { status: 'expired', open: false, overdue: true },
      { status: 'closed', open: false, overdue: false },
      { status: 'expired', open: false, overdue: false },
    ]);
  });
});
