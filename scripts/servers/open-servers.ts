import { mkdirSync } from 'node:fs';
import type { Home } from '../local/home.ts';
import type { Ports } from '../local/ports.ts';
import type { Supervisor } from '../processes/supervisor.ts';
import { checkNamedServers, serverKinds } from './check-named-servers.ts';
import { findServers } from './find-servers.ts';
import { programFor } from './program-for.ts';
import type { Launch, ServerKind } from './server-kind.ts';

export type ServerUrls = Record<ServerKind['variable'], string>;

/** Postgres, Redis and NATS: those that the environment names, and for the others our own. */
export async function openServers(options: {
  home: Home;
  ports: Ports;
  supervisor: Supervisor;
  password: string;
  durable: boolean;
  detail: (text: string) => void;
  /** Hears how each server of our own is started. */
  launched?: (launch: Launch) => void;
  env?: NodeJS.ProcessEnv;
}): Promise<ServerUrls> {
  const { home, ports, supervisor, password, durable, detail, launched, env = process.env } = options;
  const urls: ServerUrls = { DATABASE_URL: '', REDIS_URL: '', NATS_URL: '' };
  const titles = new Map<ServerKind, string>();

  for (const { kind, url, version } of await checkNamedServers(env)) {
    urls[kind.variable] = url;
    titles.set(kind, `${kind.title} ${version} (${kind.variable})`);
  }
  const sought = serverKinds
    .filter((kind) => !titles.has(kind))
    .map((kind) => ({ kind, data: home.file(kind.name) }));
  const found = await findServers(sought, home, detail);
  await Promise.all(
    found.map(async ({ kind, version, launch }) => {
      const data = home.file(kind.name);
      mkdirSync(data, { recursive: true, mode: 0o700 });
      const place = { home, data, port: await ports.choose(kind.name), password, durable };
      urls[kind.variable] = kind.url(place);
      titles.set(kind, `${kind.title} ${version}`);
      const how = await launch(place);
      launched?.(how);
      await supervisor.start(programFor(kind, place, how));
    }),
  );
  detail(serverKinds.map((kind) => titles.get(kind)).join(', '));
  return urls;
}
