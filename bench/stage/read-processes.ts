import { readdirSync, readFileSync } from 'node:fs';
import type { Usage } from '../programs/read-usage.ts';

/** What the process that a file names, and its children, have used: for programs that we cannot ask. Linux only. */
export function readProcesses(pidFile: string): Usage {
  const parent = readFileSync(pidFile, 'utf8').trim();
  const family = readdirSync('/proc').filter(
    (entry) => /^\d+$/.test(entry) && (entry === parent || parentOf(entry) === parent),
  );
  const used = family.map((pid) => ({ cpu: cpuOf(pid), rss: rssOf(pid) }));
  return {
    cpu: used.reduce((sum, { cpu }) => sum + cpu, 0),
    rss: used.reduce((sum, { rss }) => sum + rss, 0),
    heap: 0,
  };
}

function parentOf(pid: string): string | undefined {
  try {
    // The name of a program may hold blanks and brackets; what follows it does not.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1];
  } catch {
    return undefined;
  }
}

/** Microseconds. The scheduler counts them finer than the ticks of `stat`. */
const cpuOf = (pid: string): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;

const rssOf = (pid: string): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
