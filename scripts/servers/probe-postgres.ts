import { Client } from 'pg';
import { findVersion } from './version.ts';

/** Signs in as the address says and asks for the version. */
export async function probePostgres(url: URL): Promise<string> {
  const client = new Client({
    connectionString: url.href,
    connectionTimeoutMillis: 8_000,
    query_timeout: 8_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return findVersion(rows[0]?.server_version ?? '') ?? 'unknown';
  } finally {
    await client.end().catch(() => undefined);
  }
}
