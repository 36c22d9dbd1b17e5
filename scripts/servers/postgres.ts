import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from '../processes/run-command.ts';
import { findOnPath, findVersion } from './find-program.ts';
import type { FoundProgram, Launch, Placement, ServerKind } from './server-kind.ts';

const superuser = 'relay';

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

/** Makes a cluster: UTF-8, sorted by code point, with a password. */
async function initialisePostgres(
  { data, password, durable }: Placement,
  program: FoundProgram,
): Promise<void> {
  // Renamed when complete, so that an interrupted start leaves no incomplete cluster.
  const draft = `${data}.new`;
  const passwordFile = `${data}.password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const account = accountFor(data);
  if (account) for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid);

  const secured = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, `--username=${superuser}`];
  const args = ['-D', draft, ...secured, '--encoding=UTF8', '--locale=C', ...(durable ? [] : ['--no-sync'])];
  try {
    await runCommand({
      ...asPostgresUser(data, join(dirname(program.path), 'initdb'), args),
      env: { ...process.env, LC_ALL: 'C', ...program.env },
      cwd: '/',
      timeout: 120_000,
      failure: `Postgres could not make its data folder ${data}.`,
    });
  } finally {
    rmSync(passwordFile);
  }
  // Fails if the folder has other content, which is not ours to remove.
  rmdirSync(data);
  renameSync(draft, data);
}

/** A program of Postgres, which refuses to run as root: then another user runs it. */
function asPostgresUser(data: string, command: string, args: readonly string[]): Launch {
  const account = accountFor(data);
  if (!account) return { command, args };
  const setpriv = findOnPath(['setpriv']);
  if (!setpriv || ![data, command].some(isClosed)) return { command, args, ...account };
  // For a clone under /root: of root's capabilities, the program keeps the one to enter folders.
  const drop = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const keep = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return { command: setpriv, args: [...drop, ...keep, '--', command, ...args] };
}

/** Whether only its owner can enter one of the folders above. */
function isClosed(path: string): boolean {
  const folder = dirname(path);
  return (statSync(folder).mode & 0o001) === 0 || (folder !== path && isClosed(folder));
}

/** Postgres does not run as root: under root it runs as the user who owns the data, or if that is root, as the system user `nobody`. */
function accountFor(data: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(data);
  if (uid !== 0) return { uid, gid };
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
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
