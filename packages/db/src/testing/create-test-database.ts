import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { migrate } from '../migrations/migrate.ts';
import { knownMigrations, migrationsFolder, readMigration } from '../migrations/migration-files.ts';
import { connectOnce } from '../postgres/connect.ts';
import { acquireSessionLock, lockKeys } from '../postgres/session-lock.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Removes it, even while clients are connected. */
  drop(): Promise<void>;
}

const lockRetryMs = 50;

/**
 * A migrated database for one test, cloned from a template in some tens of milliseconds. `server` is the
 * address of any database on the server; its user must be allowed to create others.
 */
export const createTestDatabase = (server: string): Promise<TestDatabase> =>
  create(server, (admin) => ensureTemplate(admin, server));

/** A database without migrations. */
export const createEmptyDatabase = (server: string): Promise<TestDatabase> =>
  create(server, async () => 'template1');

async function create(
  server: string,
  chooseTemplate: (admin: pg.Client) => Promise<string>,
): Promise<TestDatabase> {
  // `dropForgotten` finds old ones by the time in the name.
  const name = `relay_test_${Math.floor(Date.now() / 1000)}_${randomBytes(6).toString('hex')}`;
  await withAdmin(server, async (admin) => {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${await chooseTemplate(admin)}`);
  });
  const drop = () =>
    withAdmin(server, async (admin) => {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
  return { url: databaseUrl(server, name), drop, [Symbol.asyncDispose]: drop };
}

async function withAdmin(server: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = await connectOnce(server);
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

/** The address of another database on the same server. */
function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** A migrated database to clone. There is one for each state of the migrations, whose hash is in its name. */
async function ensureTemplate(admin: pg.ClientBase, server: string): Promise<string> {
  const name = `relay_template_${await hashOfMigrations()}`;
  if (await exists(admin, name)) return name;
  await acquireSessionLock(admin, lockKeys.testTemplate, { retryMs: lockRetryMs });
  try {
    if (!(await exists(admin, name))) await makeTemplate(admin, server, name);
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [lockKeys.testTemplate]);
  }
  return name;
}

async function makeTemplate(admin: pg.ClientBase, server: string, name: string): Promise<void> {
  await dropForgotten(admin);
  // Renamed when it is complete, so that a template with the final name is never half migrated.
  const building = `${name}_building`;
  await admin.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${building}`);
  await migrate({ url: databaseUrl(server, building), report: () => {}, patience: 60_000 });
  await admin.query(`ALTER DATABASE ${building} RENAME TO ${name}`);
}

/** Drops the databases of test runs that were killed: an hour old and without connections. */
async function dropForgotten(admin: pg.ClientBase): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database
     WHERE datname ~ '^relay_test_[0-9]+_[0-9a-f]+$'
       AND split_part(datname, '_', 3)::bigint < extract(epoch FROM now()) - 3600
       AND NOT EXISTS (SELECT 1 FROM pg_stat_activity AS other WHERE other.datname = pg_database.datname)`,
  );
  for (const { name } of rows) await admin.query(`DROP DATABASE IF EXISTS ${name}`);
}

async function exists(admin: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  return rowCount === 1;
}

async function hashOfMigrations(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of await knownMigrations()) {
    hash.update(`${name}\n${(await readMigration(migrationsFolder, name)).script}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
