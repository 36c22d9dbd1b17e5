import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Home } from '../../../scripts/local/home.ts';
import { type ServiceName, serviceNames } from '../../../scripts/local/services.ts';
import type { Run } from '../../../scripts/local/with-run.ts';
import { isRunning, type RunningProcess } from '../../../scripts/processes/running-process.ts';

/** A process of a service that ended unexpectedly. */
export interface Ended {
  readonly name: string;
  readonly pid: number;
  readonly at: number;
}

/** Resident bytes by service. */
export type Rss = Readonly<Partial<Record<ServiceName, number>>>;

/** Watches the processes of the product: their ends and their memory. */
export interface Watch {
  readonly ended: readonly Ended[];
  /** The highest memory of each service since the last call of this function. */
  takePeak(): Rss;
  /** The memory of each service after a garbage collection, without the part of the heap that is free. */
  memoryAfterGc(): Promise<Rss>;
  onEnded(listen: (ended: Ended) => void): void;
  stop(): void;
}

const memoryEveryMs = 500;
const checkEveryMs = 50;
/** V8 returns freed memory with a delay and not always completely, so the minimum of several collections is used. */
const collections = 3;
const returnDelayMs = 3_000;
const names: readonly string[] = serviceNames;

export function startWatch(run: Run): Watch {
  const ended: Ended[] = [];
  const most = new Map<string, number>();
  const known = new Map<number, RunningProcess>();
  const listeners: ((one: Ended) => void)[] = [];

  run.supervisor.watch((running) => {
    // A process that has just ended may still be in the list.
    for (const one of running) if (names.includes(one.name) && isRunning(one)) known.set(one.pid, one);
  });

  function findEnded(): void {
    for (const one of [...known.values()].filter((each) => !isRunning(each))) {
      known.delete(one.pid);
      const end = { name: one.name, pid: one.pid, at: Date.now() };
      ended.push(end);
      for (const listen of listeners) listen(end);
    }
  }

  /** Written by collect-garbage.mjs. */
  const freeHeapOf = (pid: number): number =>
    Number(readIfThere(`${run.home.file('free-heap')}-${pid}`) ?? 0);

  function updatePeak(): void {
    for (const { name, pid } of known.values()) most.set(name, Math.max(rssOf(pid), most.get(name) ?? 0));
  }

  const timers = [setInterval(findEnded, checkEveryMs), setInterval(updatePeak, memoryEveryMs)];
  return {
    ended,
    takePeak() {
      const peak = Object.fromEntries(most);
      most.clear();
      return peak;
    },
    async memoryAfterGc() {
      const least = new Map<string, number>();
      for (let count = 0; count < collections; count++) {
        for (const one of known.values()) if (isRunning(one)) process.kill(one.pid, 'SIGUSR2');
        await pause(returnDelayMs);
        for (const { name, pid } of known.values()) {
          const used = rssOf(pid) - freeHeapOf(pid);
          least.set(name, Math.min(used, least.get(name) ?? used));
        }
      }
      return Object.fromEntries(least);
    },
    onEnded: (listen) => void listeners.push(listen),
    stop() {
      findEnded();
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Only on Linux; elsewhere memory is not checked. */
function rssOf(pid: number): number {
  const status = readIfThere(`/proc/${pid}/status`) ?? '';
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** A log entry that should not exist: a text that Node itself printed, or an unexpected error. */
export interface LogProblem {
  readonly service: ServiceName;
  readonly text: string;
  readonly times: number;
  /** Whether it ended the process. */
  readonly isFatal: boolean;
}

export function readLogProblems(home: Home): LogProblem[] {
  return serviceNames.flatMap((name) => {
    const files = [`${home.log(name)}.1`, home.log(name)].filter((file) => existsSync(file));
    const logProblems = new Map<string, LogProblem>();
    for (const entry of files.flatMap((file) => entriesOf(readFileSync(file, 'utf8')))) {
      const problem = problemOf(entry);
      if (!problem) continue;
      const times = (logProblems.get(problem.text)?.times ?? 0) + 1;
      logProblems.set(problem.text, { service: name, ...problem, times });
    }
    return [...logProblems.values()];
  });
}

/** Each line of JSON, and each text that Node printed between them. */
function entriesOf(log: string): string[] {
  const entries: string[] = [];
  let wasJson = true;
  for (const line of log.split('\n')) {
    const isJson = line.startsWith('{');
    if (isJson || wasJson) entries.push(line);
    else entries.push(`${entries.pop()}\n${line}`);
    wasJson = isJson;
  }
  return entries;
}

function problemOf(entry: string): Pick<LogProblem, 'text' | 'isFatal'> | undefined {
  if (entry.trim() === '') return undefined;
  if (!entry.startsWith('{')) return { text: entry, isFatal: /error|fatal|assert/i.test(entry) };
  const { level, msg, err } = JSON.parse(entry) as { level: string; msg: string; err?: { stack?: string } };
  if (level !== 'fatal' && level !== 'error') return undefined;
  return { text: [msg, err?.stack].filter(Boolean).join('\n'), isFatal: level === 'fatal' };
}
