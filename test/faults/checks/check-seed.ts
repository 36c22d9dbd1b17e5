import type { Environment } from '../environment/environment.ts';
import { type Client, withoutRetryAfter } from '../load/client.ts';
import type { Ledger } from '../load/ledger.ts';
import type { Plan } from '../plan/make-plan.ts';
import type { ReaderLog } from '../readers/resuming-reader.ts';
import { checkEnds } from './check-ends.ts';
import { checkLedger, readLists } from './check-ledger.ts';
import { checkReader, expectedEvents, type ReaderResult } from './check-reader.ts';
import { type CommittedState, readCommitted } from './read-committed.ts';
import type { SeedResult } from './seed-result.ts';

/** Seconds. By design an end is one second late; this allows for other load on the machine. */
const lateSeconds = 15;

/** Checks all promises at the end of a seed. */
export async function checkSeed(options: {
  plan: Pick<Plan, 'seed' | 'faults' | 'mayLosePositions'>;
  environment: Pick<Environment, 'database' | 'gatewayUrl' | 'user'>;
  client: Pick<Client, 'retries'>;
  ledger: Ledger;
  readers: readonly ReaderLog[];
  /** Collected during the run, if it takes longer than published events are kept. */
  committed?: CommittedState;
  lists?: Awaited<ReturnType<typeof readLists>>;
}): Promise<Omit<SeedResult, 'seconds'>> {
  const { plan, environment, client, ledger, readers } = options;
  const committed = options.committed ?? (await readCommitted(environment.database, environment.user.userId));
  const lists = options.lists ?? (await readLists(environment, ledger));
  const results = readers.map(({ topics, segments }) =>
    checkReader(segments, expectedEvents(topics, committed)),
  );
  const sum = (member: keyof ReaderResult) => results.reduce((total, result) => total + result[member], 0);
  const ends = checkEnds(committed, readers);
  const submitted = [...committed.values()].filter(({ events }) => events[0]?.type === 'new_request').length;
  const counts = {
    expected: sum('expected'),
    delivered: sum('delivered'),
    lost: sum('lost'),
    duplicated: sum('duplicated'),
    outOfOrder: sum('outOfOrder'),
    resets: sum('resets'),
  };

  const failures: string[] = [];
  const mustBeNone = (number: number, what: string) => number > 0 && failures.push(`${number} ${what}`);
  mustBeNone(counts.lost, 'events were lost');
  mustBeNone(counts.outOfOrder, 'events were delivered in the wrong order');
  mustBeNone(sum('unexpected'), 'unexpected events arrived');
  mustBeNone(ends.early, 'requests ended before their time');
  mustBeNone(ends.duplicated, 'requests ended twice');
  mustBeNone(ends.missing, 'requests never ended');
  if (!plan.mayLosePositions) {
    mustBeNone(counts.duplicated, 'events were delivered twice without a reason');
    mustBeNone(counts.resets, 'readers were reset without a reason');
  }
  // A dependency that is down must give a 503.
  mustBeNone(client.retries.get('500') ?? 0, 'calls got 500');
  mustBeNone(client.retries.get(withoutRetryAfter) ?? 0, 'calls got 503 without Retry-After');
  failures.push(...checkLedger(ledger, committed, lists, submitted));
  failures.push(...new Set(readers.flatMap(({ unexpected }) => unexpected)));

  return {
    seed: plan.seed,
    faults: plan.faults.map(({ title }) => title),
    ...counts,
    ends,
    remarks: [
      ...(ends.latest > lateSeconds ? [`the last request ended ${ends.latest.toFixed(0)} s late`] : []),
      ...[...client.retries].map(([what, times]) => `${times} x ${what}`),
      `${readers.length} readers, ${readers.reduce((total, { reconnects }) => total + reconnects, 0)} reconnects`,
    ],
    failures,
  };
}
