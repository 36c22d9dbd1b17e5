import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import type { ServerUrls } from '../local/environment.ts';
import { readSecrets } from '../local/secrets.ts';
import type { Run } from '../local/with-run.ts';
import type { Program } from '../processes/program.ts';
import { findServers } from './find-servers.ts';
import { checkNamedServers, describeFailure, serverKinds } from './named-servers.ts';
import type { Launch, Placement, ServerKind } from './server-kind.ts';

/** Postgres, Redis and NATS: those that the environment names, and for the others our own. */
export async function openServers(
  { home, ports, supervisor }: Pick<Run, 'home' | 'ports' | 'supervisor'>,
  options: {
    /** Whether data must survive a power cut. */
    durable: boolean;
    /** See `Placement`. */
    isLean?: boolean;
    detail?: (text: string) => void;
    /** The variables that may name servers of the user. */
    env?: NodeJS.ProcessEnv;
  },
): Promise<ServerUrls> {
  const { durable, isLean = false, detail = () => {}, env = process.env } = options;
  const urls: ServerUrls = { DATABASE_URL: '', REDIS_URL: '', NATS_URL: '' };
  const titles = new Map<ServerKind, string>();

  for (const { kind, url, version } of await checkNamedServers(env)) {
    urls[kind.variable] = url;
    titles.set(kind, `${kind.title} ${version} (${kind.variable})`);
  }
  const password = readSecrets(home).postgresPassword;
  const wanted: Placement[] = [];
  for (const kind of serverKinds.filter((one) => !titles.has(one))) {
    const data = home.file(kind.name);
    mkdirSync(data, { recursive: true, mode: 0o700 });
    wanted.push({ kind, home, data, port: await ports.choose(kind.name), password, durable, isLean });
  }
  const found = await findServers(wanted, detail);
  await Promise.all(
    [...found].map(([placement, { version, launch }]) => {
      const { kind } = placement;
      urls[kind.variable] = kind.url(placement);
      titles.set(kind, `${kind.title} ${version}`);
      return supervisor.start(serverProgram(placement, launch));
    }),
  );
  detail(serverKinds.map((kind) => titles.get(kind)).join(', '));
  return urls;
}

/** A server as the supervisor runs it. */
function serverProgram(placement: Placement, launch: Launch): Program {
  const { kind } = placement;
  return {
    cwd: '/',
    ...launch,
    name: kind.name,
    tier: 0,
    // A locale that is not installed keeps Postgres from starting.
    env: { ...process.env, LC_ALL: 'C', ...launch.env },
    logFile: placement.home.log(kind.name),
    stopSignal: kind.stopSignal,
    notReady: () => greet(placement),
  };
}

/** Why a server of ours is not ready; `undefined` when it is. */
function greet({ kind: { greeting }, port }: Placement): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(greeting.ask, 'latin1'));
    const end = (reason?: string) => {
      resolve(reason);
      socket.destroy();
    };
    socket.setTimeout(2_000, () => end('it does not answer'));
    socket.once('data', (data) => {
      const answer = data.toString('latin1');
      end(greeting.ready.test(answer) ? undefined : answer.replace(/[^ -~]+/g, ' ').trim());
    });
    socket.once('error', (error) => end(describeFailure(error)));
    socket.once('close', () => end('it closes connections'));
  });
}
