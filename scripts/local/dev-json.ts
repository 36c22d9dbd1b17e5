import { rmSync } from 'node:fs';
import type { RunningProcess } from '../processes/running-process.ts';
import type { ServerUrls } from '../servers/open-servers.ts';
import type { Addresses } from './addresses.ts';
import type { Home } from './home.ts';
import { writeJson } from './json-file.ts';
import type { DevUser } from './secrets.ts';

/** `dev.json`: how other programs find the local run. It is there exactly while all of it is up. */
export interface DevJson {
  gatewayUrl: string;
  hubUrl: string;
  dashboardUrl: string;
  userId: string;
  consumerKey: string;
  providerKey: string;
  pids: Record<string, number>;
  databaseUrl: string;
  redisUrl: string;
  natsUrl: string;
  opsUrls: Record<string, string>;
}

export function describeRun(addresses: Addresses, servers: ServerUrls, user: DevUser): Omit<DevJson, 'pids'> {
  const gatewayUrl = addresses.gateway.url ?? '';
  return {
    gatewayUrl,
    hubUrl: addresses.hub.url ?? '',
    dashboardUrl: gatewayUrl,
    userId: user.userId,
    consumerKey: user.consumerKey,
    providerKey: user.providerKey,
    databaseUrl: servers.DATABASE_URL,
    redisUrl: servers.REDIS_URL,
    natsUrl: servers.NATS_URL,
    opsUrls: Object.fromEntries(Object.entries(addresses).map(([name, { opsUrl }]) => [name, opsUrl])),
  };
}

export function writeDevJson(
  home: Home,
  run: Omit<DevJson, 'pids'>,
  running: readonly RunningProcess[],
): void {
  const pids = Object.fromEntries(running.map(({ name, pid }) => [name, pid]));
  writeJson(home.file('dev.json'), { ...run, pids });
}

export function removeDevJson(home: Home): void {
  rmSync(home.file('dev.json'), { force: true });
}
