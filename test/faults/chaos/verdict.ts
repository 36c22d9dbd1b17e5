import { type ServiceName, services } from '../../../scripts/local/services.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { Recent } from './attack/program.ts';
import type { Done } from './attackers.ts';
import type { Timing } from './honest.ts';
import type { ChaosSettings } from './settings.ts';
import type { Ended, LogTrouble, Rss } from './watch.ts';

/** A stretch of time, on the clock of `performance.now()`. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A process that ended, and the connections that were open then. */
export interface Casualty extends Ended {
  readonly recent: readonly Recent[];
}

export interface Percentiles {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
}

export interface MemoryVerdict {
  readonly service: ServiceName;
  readonly before: number;
  /** Garbage included. */
  readonly peak: number;
  readonly after: number;
}

type Phases<T> = Readonly<Record<'before' | 'during' | 'after', T>>;

/** What a chaos run came to. */
export interface ChaosVerdict {
  readonly settings: ChaosSettings;
  readonly node: string;
  readonly connections: number;
  /** Connections a second that were in fact begun. */
  readonly perSecond: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly honest: Phases<Percentiles>;
  readonly memory: readonly MemoryVerdict[];
  readonly casualties: readonly Casualty[];
  readonly troubles: readonly LogTrouble[];
  /** The exact steps of connections that were run alone. */
  readonly described: readonly string[];
  /** Calls of the honest that had to be made again, by what was wrong. */
  readonly lostAnswers: ReadonlyMap<string, number>;
  readonly events: Pick<Verdict, 'expected' | 'delivered' | 'lost' | 'doubled' | 'disordered' | 'resets'>;
  readonly remarks: readonly string[];
  /** What must hold however busy the machine is: processes, answers, events. */
  readonly broken: readonly string[];
  /** All that was promised and did not hold: `broken`, and what was measured. */
  readonly failures: readonly string[];
}

/** Promised of the honest p99 and of memory. */
const slowest = 3;
const largest = 1.2;
/** A p99 of few calls says nothing. */
const fewestCalls = 300;

export function makeVerdict(given: {
  settings: ChaosSettings;
  node: string;
  done: Done;
  seconds: number;
  periods: Phases<Period>;
  timings: readonly Timing[];
  memory: Phases<Rss>;
  retries: ReadonlyMap<string, number>;
  judged: Omit<Verdict, 'seconds'>;
  casualties: readonly Casualty[];
  troubles: readonly LogTrouble[];
  described: readonly string[];
}): ChaosVerdict {
  const {
    settings,
    node,
    done,
    seconds,
    periods,
    timings,
    retries,
    judged,
    casualties,
    troubles,
    described,
  } = given;
  // A few connections that are looked at alone say nothing about speed and memory.
  const isMeasured = settings.only === undefined;
  const honest = {
    before: percentiles(timings, periods.before),
    during: percentiles(timings, periods.during),
    after: percentiles(timings, periods.after),
  };
  const memory = services.map(({ name: service }) => ({
    service,
    before: given.memory.before[service] ?? 0,
    peak: given.memory.during[service] ?? 0,
    after: given.memory.after[service] ?? 0,
  }));
  const { expected, delivered, lost, doubled, disordered, resets, failures, remarks } = judged;
  const broken = [
    ...casualties.map(({ name, pid }) => `${name} (pid ${pid}) ended`),
    ...troubles
      .filter(({ isFatal }) => isFatal)
      .map(({ service, text }) => `${service}: ${text.split('\n')[0]}`),
    ...[...retries].map(
      ([what, times]) => `${times} honest calls got ${what.startsWith('no answer') ? what : `a ${what}`}`,
    ),
    ...failures,
  ];
  const ratio = honest.during.p99 / honest.before.p99;
  const slow =
    Math.min(honest.before.calls, honest.during.calls) >= fewestCalls && ratio > slowest
      ? [`the honest p99 grew to ${ratio.toFixed(1)} times what it was (at most ${slowest})`]
      : [];
  const grown = memory
    .filter(({ before, after }) => after > before * largest)
    .map(
      ({ service, before, after }) =>
        `${service} kept ${percent(after / before)} more memory (at most ${percent(largest)})`,
    );
  return {
    settings,
    node,
    connections: done.begun,
    perSecond: done.begun / done.seconds,
    outcomes: done.outcomes,
    seconds,
    honest,
    memory,
    casualties,
    troubles,
    described,
    lostAnswers: retries,
    events: { expected, delivered, lost, doubled, disordered, resets },
    remarks,
    broken,
    failures: [...broken, ...(isMeasured ? [...slow, ...grown] : [])],
  };
}

const percent = (ratio: number): string => `${Math.round((ratio - 1) * 100)} %`;

function percentiles(timings: readonly Timing[], { from, to }: Period): Percentiles {
  const sorted = timings
    .filter(({ at }) => at >= from && at <= to)
    .map(({ ms }) => ms)
    .sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { calls: sorted.length, p50: at(0.5), p99: at(0.99) };
}
