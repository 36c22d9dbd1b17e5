import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../../scripts/local/home.ts';
import { type ProcessUsage, readProcessTree } from '../environment/process-usage.ts';
import type { Line } from '../measure/table.ts';
import type { Row } from './row.ts';

const waitBeforeMs = 20_000;
const measuredSeconds = 30;
const calls = 20_000;
const callsAtOnce = 16;
const goal = { cpuPercent: 2, pssMegabytes: 220 };

interface DevJson {
  readonly gatewayUrl: string;
  readonly consumerKey: string;
  readonly pids: Readonly<Record<string, number>>;
}

/** What `npm start` costs without users: after its start, and after it has answered calls. */
export const idle: Row = {
  name: 'idle',
  onlyByName: true,
  async measure(_environment, { progress }) {
    const home = mkdtempSync(join(tmpdir(), 'expert-relay-idle-'));
    // It starts its own servers, as on a user's machine, and does not use those of the bench.
    const { DATABASE_URL: _1, DATABASE_DIRECT_URL: _2, REDIS_URL: _3, NATS_URL: _4, ...env } = process.env;
    const launcher = spawn(process.execPath, [join(root, 'scripts/run.mjs'), 'start'], {
      cwd: root,
      env: { ...env, RELAY_HOME: home },
      stdio: 'ignore',
    });
    try {
      progress('npm start');
      const file = join(home, 'dev.json');
      while (!existsSync(file)) {
        if (launcher.exitCode !== null) throw new Error(`npm start ended: see ${home}/logs`);
        await pause(100);
      }
      const dev = JSON.parse(readFileSync(file, 'utf8')) as DevJson;
      const tree = { root: launcher.pid as number, names: dev.pids };
      progress('fresh');
      const fresh = await measureCost(tree);
      progress(`${calls.toLocaleString('en')} calls`);
      await load(dev);
      progress('after load');
      return [...toLines('fresh', fresh), ...toLines('after load', await measureCost(tree))];
    } finally {
      launcher.kill('SIGINT');
      if (launcher.exitCode === null) await once(launcher, 'exit');
      rmSync(home, { recursive: true, force: true });
    }
  },
};

interface Cost {
  readonly name: string;
  readonly cpuPercent: number;
  readonly wakeUpsPerSecond: number;
  readonly pss: number;
  readonly rss: number;
}

/** The cost of each program, with its child processes. */
async function measureCost(tree: { root: number; names: DevJson['pids'] }): Promise<Cost[]> {
  await pause(waitBeforeMs);
  const before = readProcessTree(tree.root);
  await pause(measuredSeconds * 1_000);
  const after = readProcessTree(tree.root);
  const nameOf = (one: ProcessUsage): string => {
    const name = Object.keys(tree.names).find((each) => tree.names[each] === one.pid);
    if (name) return name;
    if (one.pid === tree.root) return 'launcher';
    const parent = after.find(({ pid }) => pid === one.parent);
    return parent && parent.pid !== tree.root ? nameOf(parent) : 'watchdog';
  };
  const costs = new Map<string, Cost>();
  for (const one of after) {
    const earlier = before.find(({ pid }) => pid === one.pid) ?? { cpuSeconds: 0, wakeUps: 0 };
    const name = nameOf(one);
    const sum = costs.get(name) ?? { name, cpuPercent: 0, wakeUpsPerSecond: 0, pss: 0, rss: 0 };
    costs.set(name, {
      name,
      cpuPercent: sum.cpuPercent + ((one.cpuSeconds - earlier.cpuSeconds) / measuredSeconds) * 100,
      wakeUpsPerSecond: sum.wakeUpsPerSecond + (one.wakeUps - earlier.wakeUps) / measuredSeconds,
      pss: sum.pss + one.pss,
      rss: sum.rss + one.rss,
    });
  }
  return [...costs.values()];
}

/** Submits and polls, in turn. */
async function load({ gatewayUrl, consumerKey }: DevJson): Promise<void> {
  let left = calls;
  const call = async (path: string, init: RequestInit) => {
    left--;
    const answer = await fetch(new URL(path, gatewayUrl), init);
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
    return (await answer.json()) as { requestId: string };
  };
  const body = JSON.stringify({ apiKey: consumerKey, messages: [], question: 'May I?', plaintext: 'May I?' });
  const headers = { 'content-type': 'application/json' };
  const worker = async () => {
    while (left > 0) {
      const { requestId } = await call('/api/v1/help', { method: 'POST', headers, body });
      for (const path of [`/api/v1/help/${requestId}`, `/api/v1/messages/${requestId}`])
        await call(path, { headers: { 'x-api-key': consumerKey } });
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, worker));
}

function toLines(title: string, costs: readonly Cost[]): Line[] {
  const sum = (member: Exclude<keyof Cost, 'name'>) => costs.reduce((total, cost) => total + cost[member], 0);
  const total = {
    cpuPercent: sum('cpuPercent'),
    wakeUpsPerSecond: sum('wakeUpsPerSecond'),
    pss: sum('pss'),
    rss: sum('rss'),
  };
  const goals = `goals ${goal.cpuPercent} % and ${goal.pssMegabytes} MB`;
  return [
    { title: `idle, ${title}:`, note: `${describe(total)} (${goals})` },
    ...costs.map((cost) => ({ title: `  ${cost.name.padEnd(14)}`, note: describe(cost) })),
  ];
}

const describe = ({ cpuPercent, wakeUpsPerSecond, pss, rss }: Omit<Cost, 'name'>): string =>
  `CPU ${cpuPercent.toFixed(2).padStart(5)} %, ${wakeUpsPerSecond.toFixed(0).padStart(4)} wake-ups/s, ` +
  `PSS ${megabytes(pss)}, RSS ${megabytes(rss)}`;

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0).padStart(4)} MB`;
