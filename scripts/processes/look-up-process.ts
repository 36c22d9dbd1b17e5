import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface FoundProcess {
  parent: number;
  /** Its command line. */
  words: string[];
}

/** Who a process is: from /proc where there is one, since slim images lack `ps`. */
export function lookUpProcess(pid: number): FoundProcess | undefined {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  } catch {
    return undefined;
  }
}

function fromProc(pid: number): FoundProcess {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]+/);
  return { parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), words };
}

function fromPs(pid: number): FoundProcess {
  const told = execFileSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' });
  const [parent, ...words] = told.trim().split(/\s+/);
  return { parent: Number(parent), words };
}
