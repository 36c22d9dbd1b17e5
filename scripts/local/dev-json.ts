import { rmSync, writeFileSync } from 'node:fs';
import type { RunningProcess } from '../processes/running-process.ts';
import type { ServerUrls } from '../servers/open-servers.ts';
import type { Addresses } from './addresses.ts';
import type { Home } from './home.ts';
import { writeJson } from './json-file.ts';
import type { DevUser } from './secrets.ts';

/** `dev.json`: how other programs find the local run. It is there exactly while all of it is up, as the two `.env`. */
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
  const { gatewayUrl, hubUrl, consumerKey, providerKey } = run;
  for (const [name, key] of [
    ['agent.env', consumerKey],
    ['expert.env', providerKey],
  ] as const) {
    const settings = `export RELAY_URL=${gatewayUrl} RELAY_HUB_URL=${hubUrl} RELAY_API_KEY=${key}\n`;
    writeFileSync(home.file(name), settings, { mode: 0o600 });
  }
  const pids = Object.fromEntries(running.map(({ name, pid }) => [name, pid]));
  writeJson(home.file('dev.json'), { ...run, pids });
}

/** What `writeDevJson` writes; `source` of an `.env` makes a shell the agent's or the expert's. */
export const devFiles = (home: Home): string[] =>
  ['dev.json', 'agent.env', 'expert.env'].map((name) => home.file(name));

export function removeDevJson(home: Home): void {
  for (const file of devFiles(home)) rmSync(file, { force: true });
}
