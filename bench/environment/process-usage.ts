import { readdirSync, readFileSync } from 'node:fs';

/** What one process has used until now, without its child processes. */
export interface ProcessUsage {
  readonly pid: number;
  readonly parent: number;
  readonly cpuSeconds: number;
  /** How often a thread went to sleep, and was woken later. */
  readonly wakeUps: number;
  readonly rss: number;
  /** Proportional memory: shared pages are divided among the processes that share them. */
  readonly pss: number;
}

/** A process and all its descendants, for programs that do not answer commands. Linux only. */
export function readProcessTree(root: number): ProcessUsage[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const all = pids.flatMap((pid) => {
    try {
      return [readProcess(Number(pid))];
    } catch {
      // The process has ended since its folder was listed.
      return [];
    }
  });
  const tree = new Set([root]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return all.filter(({ pid }) => tree.has(pid)).map((one) => ({ ...one, ...readMemory(one.pid) }));
}

function readProcess(pid: number): Omit<ProcessUsage, 'rss' | 'pss'> {
  // The name of a program may contain spaces and brackets; the fields after it do not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  let [nanoseconds, wakeUps] = [0, 0];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    // More precise than the times in `stat`, which are counted in steps of 10 ms.
    nanoseconds += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
    wakeUps += numberAfter('voluntary_ctxt_switches', readFileSync(`${folder}/status`, 'utf8'));
  }
  return { pid, parent: Number(fields[1]), cpuSeconds: nanoseconds / 1e9, wakeUps };
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
