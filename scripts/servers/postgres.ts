import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { clearStalePidFile, initialisePostgres, postgresUser } from './postgres-data.ts';
import { chooseAccount, runAs } from './run-as.ts';
import { findVersion, type Placement, type ServerKind } from './server-kind.ts';

export const postgres: ServerKind = {
  name: 'postgres',
  title: 'Postgres',
  minimum: '14',
  variable: 'DATABASE_URL',
  example: 'postgres://user:password@127.0.0.1:5432/database',
  protocols: ['postgres:', 'postgresql:'],
  programs: ['postgres'],
  folders: [
    '/usr/lib/postgresql/*/bin',
    '/usr/pgsql-*/bin',
    '/usr/libexec/postgresql*',
    '/opt/homebrew/opt/postgresql@*/bin',
    '/usr/local/opt/postgresql@*/bin',
    '/Applications/Postgres.app/Contents/Versions/*/bin',
  ],
  debianPackage: 'postgresql',
  homebrew: 'postgresql@17',
  // The Alpine variant does not start as an arbitrary user.
  image: 'postgres:17',
  dockerByHand: 'docker run -d -p 127.0.0.1:5432:5432 -e POSTGRES_PASSWORD=relay postgres:17',
  // "Fast": does not wait for clients to leave.
  stopSignal: 'SIGINT',
  probe: probePostgres,
  url: ({ port, password }) => `postgres://${postgresUser}:${password}@127.0.0.1:${port}/postgres`,

  async runProgram(placement, program) {
    const { data, port } = placement;
    const account = chooseAccount(data);
    if (!existsSync(join(data, 'PG_VERSION'))) await initialisePostgres(placement, program, account);
    const listen = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'];
    const args = [...listen, '-c', 'unix_socket_directories=', ...settings(placement)];
    return {
      ...runAs(account, { command: program.path, args }, [data, program.path]),
      ...(program.env ? { env: program.env } : {}),
      cwd: '/',
      prepare: () => clearStalePidFile(data),
    };
  },

  runImage: (placement) => ({
    options: [
      `--publish=127.0.0.1:${placement.port}:5432`,
      `--mount=type=bind,source=${placement.data},target=/var/lib/postgresql/data`,
      `--env=POSTGRES_USER=${postgresUser}`,
      '--env=POSTGRES_DB=postgres',
      '--env=POSTGRES_INITDB_ARGS=--encoding=UTF8 --locale=C --auth-host=scram-sha-256',
      // Without a value Docker takes it from its own environment: the command line is for all to see.
      '--env=POSTGRES_PASSWORD',
    ],
    command: ['postgres', ...settings(placement)],
    env: { POSTGRES_PASSWORD: placement.password },
  }),

  majorOfData,
};

function settings({ durable }: Placement): string[] {
  const kept = ['max_connections=400'];
  const lost = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  return [...kept, ...(durable ? [] : lost)].flatMap((setting) => ['-c', setting]);
}

function majorOfData(data: string): string | undefined {
  const file = join(data, 'PG_VERSION');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Signs in as the address says and asks for the version. */
async function probePostgres(url: URL): Promise<string> {
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
