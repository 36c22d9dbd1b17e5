import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lookUpProcess } from '../processes/look-up-process.ts';
import { identify } from '../processes/process-identity.ts';
import { stopProcesses } from '../processes/stop-processes.ts';

/**
 * A killed Postgres leaves its pid behind, and refuses to start while any process has that pid. When
 * that is another program by now, the file goes; a Postgres that nobody looks after is stopped. A dead
 * pid is left to Postgres, which also looks for orphans that still have the data open.
 */
export async function clearStalePidFile(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = readPid(file);
  const identity = pid && identify(pid);
  if (!pid || !identity) return;
  if (lookUpProcess(pid)?.words.join(' ').includes(data)) {
    await stopProcesses([{ name: 'postgres', tier: 0, pid, identity, stopSignal: 'SIGINT' }], {
      limit: 10_000,
    });
  } else {
    rmSync(file);
  }
}

function readPid(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}
