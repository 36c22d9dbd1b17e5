import { mkdirSync } from 'node:fs';
import type { Home } from '../local/home.ts';
import type { Ports } from '../local/ports.ts';
import type { Program } from '../processes/program.ts';
import type { Supervisor } from '../processes/supervisor.ts';
import { findServers } from './find-servers.ts';
import { checkNamedServers, serverKinds } from './named-servers.ts';
import type { Launch, Placement, ServerKind } from './server-kind.ts';

export type ServerUrls = Record<ServerKind['variable'], string>;

/** Postgres, Redis and NATS: those that the environment names, and for the others our own. */
export async function openServers(options: {
  home: Home;
  ports: Ports;
  supervisor: Supervisor;
  password: string;
  durable: boolean;
  detail: (text: string) => void;
  /** Called for each server of our own. */
  launched?: (launch: Launch) => void;
  env?: NodeJS.ProcessEnv;
}): Promise<ServerUrls> {
  const { home, ports, supervisor, password, durable, detail, env = process.env } = options;
  const urls: ServerUrls = { DATABASE_URL: '', REDIS_URL: '', NATS_URL: '' };
  const titles = new Map<ServerKind, string>();

  for (const { kind, url, version } of await checkNamedServers(env)) {
    urls[kind.variable] = url;
    titles.set(kind, `${kind.title} ${version} (${kind.variable})`);
  }
  const wanted = serverKinds
    .filter((kind) => !titles.has(kind))
    .map((kind) => ({ kind, data: home.file(kind.name) }));
  const found = await findServers(wanted, home, detail);
  await Promise.all(
    found.map(async ({ kind, version, launch }) => {
      const data = home.file(kind.name);
      mkdirSync(data, { recursive: true, mode: 0o700 });
      const placement = { home, data, port: await ports.choose(kind.name), password, durable };
      urls[kind.variable] = kind.url(placement);
      titles.set(kind, `${kind.title} ${version}`);
      const launched = await launch(placement);
      options.launched?.(launched);
      await supervisor.start(programFor(kind, placement, launched));
    }),
  );
  detail(serverKinds.map((kind) => titles.get(kind)).join(', '));
  return urls;
}

/** A server as the supervisor runs it. */
export function programFor(kind: ServerKind, placement: Placement, launch: Launch): Program {
  const url = new URL(kind.url(placement));
  const { command, args, env, cwd = '/', uid, gid, container, prepare } = launch;
  return {
    name: kind.name,
    tier: 0,
    command,
    args,
    // A locale that is not installed keeps Postgres from starting.
    env: { ...process.env, LC_ALL: 'C', ...env },
    cwd,
    logFile: placement.home.log(kind.name),
    stopSignal: kind.stopSignal,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    ...(container ? { container } : {}),
    ...(prepare ? { prepare } : {}),
    async notReady() {
      try {
        await kind.probe(url);
        return undefined;
      } catch (error) {
        return (error as Error).message || (error as NodeJS.ErrnoException).code || 'it does not answer';
      }
    },
  };
}
