import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DevUser } from '../../scripts/local/secrets.ts';
import { checkSeed } from '../faults/checks/check-seed.ts';
import { readCommitted } from '../faults/checks/read-committed.ts';
import { type Database, openDatabase } from '../faults/environment/database.ts';
import { waitForCompletion } from '../faults/wait-for-completion.ts';
import type { LoadReport } from './load/program.ts';
import { startLoad } from './load/start-load.ts';
import { kubectl, secretOf } from './shell.ts';
import { withPostgres } from './with-postgres.ts';

/** A line of the record. */
export interface Outcome {
  readonly what: string;
  readonly seconds: number;
  readonly calls: number;
  /** Calls without a final response, which were repeated: "12 x 503". */
  readonly failed: readonly string[];
  /** The longest time without a final response to any call. */
  readonly longestGapMs: number;
  readonly streams: number;
  readonly reconnects: number;
  readonly expected: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly outOfOrder: number;
  /** Promises that did not hold; empty if the action passed. */
  readonly failures: readonly string[];
}

/** Longer than anything takes that only is slow. */
const timeoutMs = 120_000;

/**
 * Runs an action while agents, experts and readers use the product, and compares what they received with the database.
 * `mayRefuse`: calls may get 503 with Retry-After, and are repeated until they succeed. `mayBreak`: they may also
 * get no response, or 502.
 */
export async function underLoad(
  what: string,
  action: () => Promise<unknown>,
  { mayRefuse = false, mayBreak = false } = {},
): Promise<Outcome> {
  const seed = randomInt(2 ** 31);
  const user = await createUser(`cluster-${seed}`);
  const load = await startLoad({ user, signInToken: await signInToken(user.userId), seed });
  try {
    const began = performance.now();
    await action();
    const seconds = (performance.now() - began) / 1_000;
    // The load continues for a while after the action.
    await pause(2_000);
    await load.finish();
    return await withDatabase(async (database) => {
      const { userId } = user;
      const committed = () => readCommitted(database, userId);
      const incomplete = await waitForCompletion({
        database,
        userId,
        readers: [],
        committed,
        timeoutMs,
      });
      const report = await load.report();
      const checked = await checkReport(report, user, database);
      const isExpected = (reason: string) =>
        mayBreak ? /^(no response|50[234]$)/.test(reason) : mayRefuse && reason === '503';
      const wrong = report.retries.filter(([reason]) => !isExpected(reason));
      return {
        what,
        seconds,
        calls: report.calls,
        longestGapMs: report.longestGapMs,
        failed: report.retries.map(([reason, times]) => `${times} x ${reason}`),
        streams: report.readers.length,
        reconnects: report.readers.reduce((sum, { reconnects }) => sum + reconnects, 0),
        ...checked,
        failures: [
          ...incomplete,
          ...wrong.map(([reason, times]) => `${times} calls: ${reason}`),
          ...checked.failures,
        ],
      };
    });
  } finally {
    load.stop();
  }
}

async function checkReport(report: LoadReport, user: DevUser, database: Database) {
  const { expected, lost, duplicated, outOfOrder, failures } = await checkSeed({
    plan: { seed: 0, faults: [], mayLosePositions: false },
    environment: { database, user, gatewayUrl: '' },
    client: { retries: new Map(report.retries) },
    ledger: report.ledger,
    readers: report.readers,
    committed: await readCommitted(database, user.userId),
    lists: new Map(report.lists),
  });
  return { expected, lost, duplicated, outOfOrder, failures };
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

/** The database that the services use. */
async function withDatabase<T>(use: (database: Database) => Promise<T>): Promise<T> {
  const { pathname } = new URL(await secretOf('DATABASE_URL'));
  return withPostgres(async (url) => {
    const database = openDatabase(`${url}${pathname}`);
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  });
}
