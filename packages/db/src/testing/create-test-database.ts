import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { databaseUrl } from './database-url.ts';
import { ensureTemplate } from './ensure-template.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Removes it, whoever is still connected. */
  drop(): Promise<void>;
}

/**
 * A migrated database of one's own, cloned from a template in some tens of milliseconds. `server` is the
 * address of any database on the server; its user must be allowed to create others.
 */
export const createTestDatabase = (server: string): Promise<TestDatabase> =>
  create(server, (admin) => ensureTemplate(admin, server));

/** A database that nobody has migrated. */
export const createEmptyDatabase = (server: string): Promise<TestDatabase> =>
  create(server, async () => 'template1');

async function create(
  server: string,
  chooseTemplate: (admin: pg.Client) => Promise<string>,
): Promise<TestDatabase> {
  // The time in it tells `ensureTemplate` which ones were forgotten.
  const name = `relay_test_${Math.floor(Date.now() / 1000)}_${randomBytes(6).toString('hex')}`;
  await usingAdmin(server, async (admin) => {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${await chooseTemplate(admin)}`);
  });
  const drop = () =>
    usingAdmin(server, async (admin) => {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
  return { url: databaseUrl(server, name), drop, [Symbol.asyncDispose]: drop };
}

async function usingAdmin(server: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = await connectOnce(server);
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
