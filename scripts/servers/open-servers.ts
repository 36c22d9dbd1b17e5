import { mkdirSync } from 'node:fs';
import { readSecrets } from '../local/secrets.ts';
import type { Run } from '../local/with-run.ts';
import type { Program } from '../processes/program.ts';
import { findServers } from './find-servers.ts';
import { checkNamedServers, describeFailure, type NamedServer, serverKinds } from './named-servers.ts';
import type { Launch, Placement, ServerKind } from './server-kind.ts';

export type ServerUrls = Record<ServerKind['variable'], string>;

/** Postgres, Redis and NATS: those that the environment names, and for the others our own. */
export async function openServers(
  { home, ports, supervisor }: Pick<Run, 'home' | 'ports' | 'supervisor'>,
  options: {
    /** Whether data must survive a power cut. */
    durable: boolean;
    detail?: (text: string) => void;
    /** The servers that the environment names, if they were checked before. */
    named?: readonly NamedServer[];
  },
): Promise<ServerUrls> {
  const { durable, detail = () => {}, named = await checkNamedServers() } = options;
  const urls: ServerUrls = { DATABASE_URL: '', REDIS_URL: '', NATS_URL: '' };
  const titles = new Map<ServerKind, string>();

  for (const { kind, url, version } of named) {
    urls[kind.variable] = url;
    titles.set(kind, `${kind.title} ${version} (${kind.variable})`);
  }
  const wanted = serverKinds
    .filter((kind) => !titles.has(kind))
    .map((kind) => ({ kind, data: home.file(kind.name) }));
  const found = await findServers(wanted, home, detail);
  const password = readSecrets(home).postgresPassword;
  await Promise.all(
    found.map(async ({ kind, version, launch }) => {
      const data = home.file(kind.name);
      mkdirSync(data, { recursive: true, mode: 0o700 });
      const placement = { home, data, port: await ports.choose(kind.name), password, durable };
      urls[kind.variable] = kind.url(placement);
      titles.set(kind, `${kind.title} ${version}`);
      await supervisor.start(serverProgram(kind, placement, await launch(placement)));
    }),
  );
  detail(serverKinds.map((kind) => titles.get(kind)).join(', '));
  return urls;
}

/** A server as the supervisor runs it. */
export function serverProgram(kind: ServerKind, placement: Placement, launch: Launch): Program {
  const url = new URL(kind.url(placement));
  return {
    cwd: '/',
    ...launch,
    name: kind.name,
    tier: 0,
    // A locale that is not installed keeps Postgres from starting.
    env: { ...process.env, LC_ALL: 'C', ...launch.env },
    logFile: placement.home.log(kind.name),
    stopSignal: kind.stopSignal,
    notReady: () => kind.probe(url).then(() => undefined, describeFailure),
  };
}
