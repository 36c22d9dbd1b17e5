import { type ServiceName, serviceNames } from '../../../scripts/local/services.ts';
import type { SeedResult } from '../checks/seed-result.ts';
import type { Recent } from './attack/program.ts';
import type { Done } from './attackers.ts';
import type { Timing } from './honest-clients.ts';
import type { ChaosSettings } from './settings.ts';
import type { Ended, LogProblem, Rss } from './watch.ts';

/** A period of time, on the clock of `performance.now()`. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A process that ended, and the connections that were open then. */
export interface EndedProcess extends Ended {
  readonly recent: readonly Recent[];
}

export interface Percentiles {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
}

export interface MemoryResult {
  readonly service: ServiceName;
  readonly before: number;
  /** Garbage included. */
  readonly peak: number;
  readonly after: number;
}

type Phases<T> = Readonly<Record<'before' | 'during' | 'after', T>>;

/** The result of a chaos run. */
export interface ChaosResult {
  readonly settings: ChaosSettings;
  readonly node: string;
  readonly connections: number;
  /** Connections that were started in a second. */
  readonly perSecond: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly honest: Phases<Percentiles>;
  readonly memory: readonly MemoryResult[];
  readonly endedProcesses: readonly EndedProcess[];
  readonly logProblems: readonly LogProblem[];
  /** The exact steps of the connections of `only`. */
  readonly described: readonly string[];
  /** Calls of honest clients that were repeated, by reason. */
  readonly lostResponses: ReadonlyMap<string, number>;
  readonly events: Pick<
    SeedResult,
    'expected' | 'delivered' | 'lost' | 'duplicated' | 'outOfOrder' | 'resets'
  >;
  readonly remarks: readonly string[];
  /** Failures that a busy machine does not explain: processes, responses, events. */
  readonly broken: readonly string[];
  /** All failures: `broken`, refusals, speed and memory. */
  readonly failures: readonly string[];
}

/** Limits of the honest p99 and of memory, as ratios to the time before the attack. */
const maxSlowdown = 3;
const maxGrowth = 1.2;
/** The p99 of fewer calls means nothing. */
const minCalls = 300;

export function makeChaosResult(given: {
  settings: ChaosSettings;
  node: string;
  done: Done;
  seconds: number;
  periods: Phases<Period>;
  timings: readonly Timing[];
  memory: Phases<Rss>;
  retries: ReadonlyMap<string, number>;
  checked: Omit<SeedResult, 'seconds'>;
  endedProcesses: readonly EndedProcess[];
  logProblems: readonly LogProblem[];
  described: readonly string[];
}): ChaosResult {
  const {
    settings,
    node,
    done,
    seconds,
    periods,
    timings,
    retries,
    checked,
    endedProcesses,
    logProblems,
    described,
  } = given;
  // A run of a few connections shows nothing about speed and memory.
  const isMeasured = settings.only === undefined && settings.quietMs > 0;
  const honest = {
    before: percentiles(timings, periods.before),
    during: percentiles(timings, periods.during),
    after: percentiles(timings, periods.after),
  };
  const memory = serviceNames.map((service) => ({
    service,
    before: given.memory.before[service] ?? 0,
    peak: given.memory.during[service] ?? 0,
    after: given.memory.after[service] ?? 0,
  }));
  const { expected, delivered, lost, duplicated, outOfOrder, resets, failures, remarks } = checked;
  const unanswered = [...retries];
  const broken = [
    ...endedProcesses.map(({ name, pid }) => `${name} (pid ${pid}) ended`),
    ...logProblems
      .filter(({ isFatal }) => isFatal)
      .map(({ service, text }) => `${service}: ${text.split('\n')[0]}`),
    ...unanswered.filter(([what]) => what !== busy).map(describeUnanswered),
    ...failures,
  ];
  const refused = unanswered.filter(([what]) => what === busy).map(describeUnanswered);
  const ratio = honest.during.p99 / honest.before.p99;
  const slow =
    Math.min(honest.before.calls, honest.during.calls) >= minCalls && ratio > maxSlowdown
      ? [`the honest p99 grew to ${ratio.toFixed(1)} times what it was (at most ${maxSlowdown})`]
      : [];
  const grown = memory
    .filter(({ before, after }) => after > before * maxGrowth)
    .map(
      ({ service, before, after }) =>
        `${service} kept ${percent(after / before)} more memory (at most ${percent(maxGrowth)})`,
    );
  return {
    settings,
    node,
    connections: done.started,
    perSecond: done.started / done.seconds,
    outcomes: done.outcomes,
    seconds,
    honest,
    memory,
    endedProcesses,
    logProblems,
    described,
    lostResponses: retries,
    events: { expected, delivered, lost, duplicated, outOfOrder, resets },
    remarks,
    broken,
    failures: [...broken, ...(isMeasured ? [...refused, ...slow, ...grown] : [])],
  };
}

/** With `Retry-After`, and repeated: a machine that does other work too makes the relay give it. */
const busy = '503';

const describeUnanswered = ([what, times]: [string, number]) =>
  `${times} honest calls got ${what.startsWith('no response') ? what : `a ${what}`}`;

const percent = (ratio: number): string => `${Math.round((ratio - 1) * 100)} %`;

function percentiles(timings: readonly Timing[], { from, to }: Period): Percentiles {
  const sorted = timings
    .filter(({ at }) => at >= from && at <= to)
    .map(({ ms }) => ms)
    .sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { calls: sorted.length, p50: at(0.5), p99: at(0.99) };
}
