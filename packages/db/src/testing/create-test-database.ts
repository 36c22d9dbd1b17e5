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
export async function createTestDatabase(server: string): Promise<TestDatabase> {
  const name = `relay_test_${Math.floor(Date.now() / 1000)}_${randomBytes(6).toString('hex')}`;
  await usingAdmin(server, async (admin) => {
    const template = await ensureTemplate(admin, server);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  const drop = () =>
    usingAdmin(
      server,
      async (admin) => void (await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
    );
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
