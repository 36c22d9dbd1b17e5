import { readdirSync, readFileSync } from 'node:fs';

/** What one process of a family has used until now, its own children not counted. Linux only. */
export interface ProcessUsage {
  readonly pid: number;
  readonly parent: number;
  readonly cpuSeconds: number;
  /** How often a thread of it went to sleep, and was therefore woken. */
  readonly wakeUps: number;
  readonly rss: number;
  /** Memory with what is shared divided among those who share it. */
  readonly pss: number;
}

const ticksPerSecond = 100;

/** A process and all that descend from it. */
export function readFamily(root: number): ProcessUsage[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const all = pids.flatMap((pid) => {
    try {
      return [readStat(Number(pid))];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
  const within = new Set([root]);
  for (let size = 0; size < within.size; ) {
    size = within.size;
    for (const { pid, parent } of all) if (within.has(parent)) within.add(pid);
  }
  return all.filter(({ pid }) => within.has(pid)).map((one) => ({ ...one, ...readMemory(one.pid) }));
}

function readStat(pid: number): Pick<ProcessUsage, 'pid' | 'parent' | 'cpuSeconds' | 'wakeUps'> {
  // The name of a program may hold blanks and brackets; what follows it does not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'),
  );
  return {
    pid,
    parent: Number(fields[1]),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    wakeUps: threads.reduce((sum, status) => sum + numberAfter('voluntary_ctxt_switches', status), 0),
  };
}

function readMemory(pid: number): Pick<ProcessUsage, 'rss' | 'pss'> {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return { rss: numberAfter('Rss', text) * 1_024, pss: numberAfter('Pss', text) * 1_024 };
  } catch {
    return { rss: 0, pss: 0 };
  }
}

const numberAfter = (name: string, text: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
