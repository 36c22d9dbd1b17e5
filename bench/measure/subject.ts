import { StepError } from '../../scripts/terminal/failure.ts';
import type { BenchProcess } from '../environment/processes.ts';
import type { TimedRun } from '../programs/timed-run.ts';

/** One side of a comparison. */
export interface Subject {
  readonly name: string;
  /** The processes whose CPU time counts. */
  readonly processes: readonly BenchProcess[];
  run(count: number): Promise<TimedRun>;
}

/** The figures of one run. */
export interface Figures {
  readonly perSecond: number;
  /** CPU time of the subject's processes for one call, in microseconds. */
  readonly cpu: number;
  /** The share of one core that the load process used; undefined if the subject makes its own load. */
  readonly load: number | undefined;
}

/** How many calls run at the same time. */
const concurrency = 32;

/** A subject that answers HTTP, with a separate load process; `makeRequests` is called before each run. */
export function loadSubject(options: {
  name: string;
  load: BenchProcess;
  /** The first one receives the calls; the others do a part of the work. */
  processes: readonly [BenchProcess, ...BenchProcess[]];
  makeRequests: (count: number) => readonly string[];
}): Subject {
  const { name, load, processes, makeRequests } = options;
  const { port } = processes[0];
  return {
    name,
    processes,
    run: (count) => load.call<TimedRun>('run', { port, requests: makeRequests(count), count, concurrency }),
  };
}

/** A program that makes its own calls, without HTTP. */
export const directSubject = (name: string, program: BenchProcess): Subject => ({
  name,
  processes: [program],
  run: (count) => program.call<TimedRun>('run', { count, concurrency }),
});

const succeeded = /^(2\d\d|done)$/;

/** One run of one subject. Fails if any call fails, since the figures would mean nothing. */
export async function measureOnce(subject: Subject, count: number): Promise<Figures> {
  const before = await cpuOf(subject);
  const run = await subject.run(count);
  const cpu = (await cpuOf(subject)) - before;
  const failed = Object.entries(run.outcomes).filter(([outcome]) => !succeeded.test(outcome));
  if (failed.length > 0) {
    const list = failed.map(([outcome, calls]) => `${calls} x ${outcome}`).join(', ');
    throw new StepError(`Of ${count} calls of "${subject.name}" some failed: ${list}.`);
  }
  const isOwnLoad = 'done' in run.outcomes;
  return {
    perSecond: count / run.seconds,
    cpu: cpu / count,
    load: isOwnLoad ? undefined : run.cpuSeconds / run.seconds,
  };
}

async function cpuOf({ processes }: Subject): Promise<number> {
  const usages = await Promise.all(processes.map((process) => process.usage()));
  return usages.reduce((sum, { cpu }) => sum + cpu, 0);
}
