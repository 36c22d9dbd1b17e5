import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findVersion } from './find-program.ts';
import { asPostgresUser, initialisePostgres, superuser } from './postgres-data.ts';
import type { Placement, ServerKind } from './server-kind.ts';

/** Systems keep several beside each other. The newest is the best. */
const versions = [20, 19, 18, 17, 16, 15, 14];

export const postgres: ServerKind = {
  name: 'postgres',
  title: 'Postgres',
  minimum: '14',
  variable: 'DATABASE_URL',
  example: 'postgres://postgres:relay@127.0.0.1:5432/postgres',
  protocols: ['postgres:', 'postgresql:'],
  programs: ['postgres'],
  folders: versions.flatMap((version) => [
    `/usr/lib/postgresql/${version}/bin`,
    `/usr/pgsql-${version}/bin`,
    `/usr/libexec/postgresql${version}`,
    `/opt/homebrew/opt/postgresql@${version}/bin`,
    `/usr/local/opt/postgresql@${version}/bin`,
    `/Applications/Postgres.app/Contents/Versions/${version}/bin`,
  ]),
  debian: 'postgresql',
  homebrew: 'postgresql@17',
  // "Fast": does not wait for clients to leave.
  stopSignal: 'SIGINT',
  probe: probePostgres,
  // As pg_isready asks: Postgres wants a password (R) once it accepts connections.
  greeting: { ask: startupMessage(`user\0${superuser}\0database\0postgres\0\0`), ready: /^R/ },
  url: ({ port, password }) => `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`,

  runProgram(placement, program) {
    const { data, port } = placement;
    const args = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'];
    return {
      ...asPostgresUser(data, program.path, [
        ...args,
        '-c',
        'unix_socket_directories=',
        ...settings(placement),
      ]),
      cwd: '/',
      async prepare() {
        if (!existsSync(join(data, 'PG_VERSION'))) await initialisePostgres(placement, program);
      },
    };
  },

  container: {
    // The Alpine variant does not start as an arbitrary user.
    image: 'postgres:17',
    port: 5432,
    dataFolder: '/var/lib/postgresql/data',
    command: (placement) => ['postgres', ...settings(placement)],
    options: [
      `--env=POSTGRES_USER=${superuser}`,
      '--env=POSTGRES_DB=postgres',
      '--env=POSTGRES_INITDB_ARGS=--encoding=UTF8 --locale=C --auth-host=scram-sha-256',
      // Without a value Docker takes it from its own environment: the command line is for all to see.
      '--env=POSTGRES_PASSWORD',
    ],
    env: ({ password }) => ({ POSTGRES_PASSWORD: password }),
  },

  majorOfData(data) {
    const file = join(data, 'PG_VERSION');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  },
};

/** The seven services have 60 connections at most. Postgres reserves memory for each that it allows. */
const leanSettings = [
  'max_connections=150',
  'shared_buffers=32MB',
  'max_wal_senders=0',
  'max_logical_replication_workers=0',
  'bgwriter_delay=2s',
  // Plans of the services are short: the compiler would only be loaded, with tens of megabytes.
  'jit=off',
];

function settings({ durable, isLean = false }: Placement): string[] {
  const lost = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const size = isLean ? leanSettings : ['max_connections=400'];
  return [...size, ...(durable ? [] : lost)].flatMap((setting) => ['-c', setting]);
}

/** Its length, the version 3.0 of the protocol, and the parameters, one byte for each character. */
function startupMessage(parameters: string): string {
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length);
  head.writeInt32BE(3 << 16, 4);
  return head.toString('latin1') + parameters;
}

/** Signs in as the address says and asks for the version. */
async function probePostgres(url: URL): Promise<string> {
  const { Client } = (await import('pg')).default;
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
