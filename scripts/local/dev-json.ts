import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { RunningProcess } from '../processes/running-process.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Addresses } from './addresses.ts';
import type { ServerUrls } from './environment.ts';
import { type Home, root, writeJson } from './home.ts';
import type { DevUser } from './secrets.ts';

/** `dev.json`, for programs that use the local run. It exists exactly while all of it is up, as do the two `.env`. */
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
    ...user,
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

/** What `writeDevJson` writes. `source` of an `.env` gives a shell the address and the key of an agent or expert. */
export const devFiles = (home: Home): string[] =>
  ['dev.json', 'agent.env', 'expert.env'].map((name) => home.file(name));

/** A path as a word of a shell. */
const quote = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

/** Shows the addresses, the keys, and what to type first: an agent's question, and where it is answered. */
export function showScreen({ line, style }: Terminal, run: Omit<DevJson, 'pids'>, home: Home): void {
  const { gatewayUrl, hubUrl, dashboardUrl, consumerKey, providerKey } = run;
  const near = relative(root, home.path);
  const folder = near.startsWith('..') ? home.path : near;
  line(`
  Gateway       ${style('bold', gatewayUrl)}
  Hub           ${style('bold', hubUrl)}
  Dashboard     ${style('bold', `${dashboardUrl}/dashboard`)}

  Consumer key  ${consumerKey}
  Provider key  ${providerKey}

${style('dim', '  Ask as an agent, in another terminal:')}

source ${quote(`${folder}/agent.env`)}
npx relay approve "May I remove the lock file?"

${style('dim', '  Answer as the expert: in the dashboard (Sign in as dev), or in a third terminal:')}

source ${quote(`${folder}/expert.env`)}
npx relay keys make
npx relay listen

${style('dim', `  Logs: ${folder}/logs/*.log    Stop: Ctrl-C`)}
`);
}
