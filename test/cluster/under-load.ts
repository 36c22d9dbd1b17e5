import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { DevUser } from '../../scripts/local/secrets.ts';
import { untilAllCame } from '../faults/settle.ts';
import { type Database, openDatabase } from '../faults/stage/database.ts';
import { judge } from '../faults/verdict/judge.ts';
import { readTruth } from '../faults/verdict/read-truth.ts';
import type { LoadReport } from './load/program.ts';
import { startLoad } from './load/start-load.ts';
import { kubectl, namespace } from './shell.ts';

/** A line of the record. */
export interface Outcome {
  readonly what: string;
  readonly seconds: number;
  readonly calls: number;
  /** Calls without a final answer, which were made again: "12 x 503". */
  readonly failed: readonly string[];
  readonly streams: number;
  readonly reconnects: number;
  readonly expected: number;
  readonly lost: number;
  readonly doubled: number;
  readonly disordered: number;
  /** Promises that were broken; none when all is well. */
  readonly failures: readonly string[];
}

/** For what never comes. */
const patienceMs = 120_000;

/**
 * Does something to the product while agents, experts and readers use it, and holds what they saw against what the
 * database has. `mayRefuse`: calls may be answered 503 with Retry-After, and are repeated until they succeed.
 */
export async function underLoad(
  what: string,
  action: () => Promise<unknown>,
  { mayRefuse = false } = {},
): Promise<Outcome> {
  const seed = randomInt(2 ** 31);
  const user = await createUser(`cluster-${seed}`);
  const load = await startLoad({ user, signInToken: await signInToken(user.userId), seed });
  try {
    const began = performance.now();
    await action();
    const seconds = (performance.now() - began) / 1_000;
    // What the action has left behind is used as well.
    await pause(2_000);
    await load.finish();
    return await withDatabase(async (database) => {
      const { userId } = user;
      const truth = () => readTruth(database, userId);
      const unsettled = await untilAllCame({ database, userId, readers: [], truth, within: patienceMs });
      const report = await load.report();
      const judged = await judgeReport(report, user, database);
      const refused = mayRefuse ? [] : report.retries.map(([reason, times]) => `${times} calls: ${reason}`);
      const odd = report.retries.filter(([reason]) => mayRefuse && reason !== '503');
      return {
        what,
        seconds,
        calls: report.calls,
        failed: report.retries.map(([reason, times]) => `${times} x ${reason}`),
        streams: report.readers.length,
        reconnects: report.readers.reduce((sum, { reconnects }) => sum + reconnects, 0),
        ...judged,
        failures: [
          ...unsettled,
          ...refused,
          ...odd.map(([reason, times]) => `${times} calls: ${reason}`),
          ...judged.failures,
        ],
      };
    });
  } finally {
    load.stop();
  }
}

async function judgeReport(report: LoadReport, user: DevUser, database: Database) {
  const { expected, lost, doubled, disordered, failures } = await judge({
    plan: { seed: 0, faults: [], mayLosePositions: false },
    stage: { database, user, gatewayUrl: '' },
    client: { retries: new Map(report.retries) },
    ledger: report.ledger,
    readers: report.readers,
    truth: await readTruth(database, user.userId),
    lists: new Map(report.lists),
  });
  return { expected, lost, doubled, disordered, failures };
}

const admin = async (...args: string[]) => {
  const program = [
    'exec',
    'deployment/expert-relay-requests',
    '--',
    'node',
    'services/requests/dist/admin.js',
  ];
  return JSON.parse(await kubectl(...program, ...args, '--json'));
};

async function createUser(name: string): Promise<DevUser> {
  const keys = ['--key', 'consumer', '--key', 'provider'];
  const made = await admin('create-user', '--name', name, ...keys);
  const keyOf = (kind: string) => made.keys.find((key: { kind: string }) => key.kind === kind).key;
  return { userId: made.userId, consumerKey: keyOf('consumer'), providerKey: keyOf('provider') };
}

async function signInToken(userId: string): Promise<string> {
  const { url } = await admin('sign-in-link', '--user', userId);
  return new URL(url).searchParams.get('token') ?? '';
}

/** Past the policies, as kubectl's own forwarding is. */
async function withDatabase<T>(use: (database: Database) => Promise<T>): Promise<T> {
  const encoded = await kubectl(
    'get',
    'secret',
    'relay-secrets',
    '--output=jsonpath={.data.POSTGRES_PASSWORD}',
  );
  const password = Buffer.from(encoded, 'base64').toString();
  const args = ['port-forward', '--namespace', namespace, 'service/expert-relay-postgres', ':5432'];
  const forward = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(forward.stdout, 'data');
    const port = /127\.0\.0\.1:(\d+)/.exec(String(line))?.[1];
    const database = openDatabase(`postgres://relay:${password}@127.0.0.1:${port}/relay`);
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  } finally {
    forward.kill();
  }
}
