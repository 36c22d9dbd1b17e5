import { type Client, withoutRetryAfter } from '../load/client.ts';
import type { Ledger } from '../load/ledger.ts';
import type { Plan } from '../plan/make-plan.ts';
import type { ReaderLog } from '../readers/resuming-reader.ts';
import type { Stage } from '../stage/stage.ts';
import { expectedOn } from './expected-on.ts';
import { judgeEnds } from './judge-ends.ts';
import { judgeLedger } from './judge-ledger.ts';
import { judgeReader, type ReaderVerdict } from './judge-reader.ts';
import { readLists } from './read-lists.ts';
import { readTruth, type Truth } from './read-truth.ts';
import type { Verdict } from './verdict.ts';

/** By design the last second; this is for a machine that does other things, too. */
const muchTooLate = 15;

/** When all is over: what was promised against what came of it. */
export async function judge(options: {
  plan: Pick<Plan, 'seed' | 'faults' | 'mayLosePositions'>;
  stage: Pick<Stage, 'database' | 'gatewayUrl' | 'user'>;
  client: Pick<Client, 'retries'>;
  ledger: Ledger;
  readers: readonly ReaderLog[];
  /** Where it was collected before, since published events are not kept for ever. */
  truth?: Truth;
  lists?: Awaited<ReturnType<typeof readLists>>;
}): Promise<Omit<Verdict, 'seconds'>> {
  const { plan, stage, client, ledger, readers } = options;
  const truth = options.truth ?? (await readTruth(stage.database, stage.user.userId));
  const lists = options.lists ?? (await readLists(stage, ledger));
  const verdicts = readers.map(({ topics, stretches }) => judgeReader(stretches, expectedOn(topics, truth)));
  const sum = (member: keyof ReaderVerdict) =>
    verdicts.reduce((total, verdict) => total + verdict[member], 0);
  const ends = judgeEnds(truth, readers);
  const made = [...truth.values()].filter(({ events }) => events[0]?.type === 'new_request').length;
  const counts = {
    expected: sum('expected'),
    delivered: sum('delivered'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    disordered: sum('disordered'),
    resets: sum('resets'),
  };

  const failures: string[] = [];
  const mustBeNone = (number: number, what: string) => number > 0 && failures.push(`${number} ${what}`);
  mustBeNone(counts.lost, 'events were lost');
  mustBeNone(counts.doubled, 'events came twice');
  mustBeNone(counts.disordered, 'events came in the wrong order');
  mustBeNone(sum('strange'), 'events came that nobody caused');
  mustBeNone(ends.early, 'requests ended before their time');
  mustBeNone(ends.doubled, 'requests ended twice');
  mustBeNone(ends.missing, 'requests never ended');
  if (!plan.mayLosePositions)
    mustBeNone(counts.resets, 'readers were told that their position is gone, and it was not');
  // Whatever is away: that is foreseen, and said with a 503.
  mustBeNone(client.retries.get('500') ?? 0, 'calls were answered 500');
  mustBeNone(client.retries.get(withoutRetryAfter) ?? 0, 'calls were answered 503 without Retry-After');
  failures.push(...judgeLedger(ledger, truth, lists, made));
  failures.push(...new Set(readers.flatMap(({ oddities }) => oddities)));

  return {
    seed: plan.seed,
    faults: plan.faults.map(({ title }) => title),
    ...counts,
    ends,
    remarks: [
      ...(ends.latest > muchTooLate ? [`the last request ended ${ends.latest.toFixed(0)} s late`] : []),
      ...[...client.retries].map(([what, times]) => `${times} x ${what}`),
      `${readers.length} readers, ${readers.reduce((total, { reconnects }) => total + reconnects, 0)} reconnects`,
    ],
    failures,
  };
}
