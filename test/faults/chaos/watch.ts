import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Home } from '../../../scripts/local/home.ts';
import { type ServiceName, services } from '../../../scripts/local/services.ts';
import type { Run } from '../../../scripts/local/with-run.ts';
import { isRunning } from '../../../scripts/processes/process-identity.ts';
import type { RunningProcess } from '../../../scripts/processes/stop-processes.ts';

/** A service's process that ended though nobody asked it to. */
export interface Ended {
  readonly name: string;
  readonly pid: number;
  readonly at: number;
}

/** Resident bytes by service. */
export type Rss = Readonly<Partial<Record<ServiceName, number>>>;

/** Sees every process of the product that ends, and how much memory each takes. */
export interface Watch {
  readonly ended: readonly Ended[];
  /** The most that each service took since the last call of this. */
  peak(): Rss;
  /** What each takes after its garbage was collected: what it keeps. */
  kept(): Promise<Rss>;
  onEnded(listen: (ended: Ended) => void): void;
  stop(): void;
}

const memoryEveryMs = 500;
const lookEveryMs = 50;
/** V8 returns what it has freed a little later, and not all of it every time: the least of several counts. */
const collections = 3;
const untilReturnedMs = 3_000;
const names: readonly string[] = services.map(({ name }) => name);

export function startWatch(run: Run): Watch {
  const ended: Ended[] = [];
  const most = new Map<string, number>();
  const known = new Map<number, RunningProcess>();
  const listeners: ((one: Ended) => void)[] = [];

  run.watchProcesses((running) => {
    // One that has just ended may still be in the list.
    for (const one of running) if (names.includes(one.name) && isRunning(one)) known.set(one.pid, one);
  });

  function look(): void {
    for (const one of [...known.values()].filter((each) => !isRunning(each))) {
      known.delete(one.pid);
      const end = { name: one.name, pid: one.pid, at: Date.now() };
      ended.push(end);
      for (const listen of listeners) listen(end);
    }
  }

  const measure = () => [...known.values()].map(({ name, pid }) => [name, rssOf(pid)] as const);

  function notePeak(): void {
    for (const [name, rss] of measure()) most.set(name, Math.max(rss, most.get(name) ?? 0));
  }

  const timers = [setInterval(look, lookEveryMs), setInterval(notePeak, memoryEveryMs)];
  return {
    ended,
    peak() {
      const peak = Object.fromEntries(most);
      most.clear();
      return peak;
    },
    async kept() {
      const least = new Map<string, number>();
      for (let count = 0; count < collections; count++) {
        for (const one of known.values()) if (isRunning(one)) process.kill(one.pid, 'SIGUSR2');
        await pause(untilReturnedMs);
        for (const [name, rss] of measure()) least.set(name, Math.min(rss, least.get(name) ?? rss));
      }
      return Object.fromEntries(least);
    },
    onEnded: (listen) => void listeners.push(listen),
    stop() {
      look();
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Linux alone says it in a file; elsewhere memory is not judged. */
function rssOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** What the logs of the services have that no log should: what Node itself printed, and unexpected errors. */
export interface LogTrouble {
  readonly service: ServiceName;
  readonly text: string;
  readonly times: number;
  /** Whether it ended the process. */
  readonly isFatal: boolean;
}

export function readTroubles(home: Home): LogTrouble[] {
  return services.flatMap(({ name }) => {
    const files = [`${home.log(name)}.1`, home.log(name)].filter((file) => existsSync(file));
    const troubles = new Map<string, LogTrouble>();
    for (const entry of files.flatMap((file) => entriesOf(readFileSync(file, 'utf8')))) {
      const trouble = troubleOf(entry);
      if (!trouble) continue;
      const times = (troubles.get(trouble.text)?.times ?? 0) + 1;
      troubles.set(trouble.text, { service: name, ...trouble, times });
    }
    return [...troubles.values()];
  });
}

/** Lines of JSON, each by itself, and what Node printed between them as one text. */
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

function troubleOf(entry: string): Pick<LogTrouble, 'text' | 'isFatal'> | undefined {
  if (entry.trim() === '') return undefined;
  if (!entry.startsWith('{')) return { text: entry, isFatal: /error|fatal|assert/i.test(entry) };
  const { level, msg, err } = JSON.parse(entry) as { level: string; msg: string; err?: { stack?: string } };
  if (level !== 'fatal' && level !== 'error') return undefined;
  return { text: [msg, err?.stack].filter(Boolean).join('\n'), isFatal: level === 'fatal' };
}
