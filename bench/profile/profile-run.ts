import { mkdirSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import type { Line } from '../measure/table.ts';
import type { Controlled } from '../stage/controlled.ts';
import { sharesOf } from './shares.ts';

/** `run` once more under the profiler: writes what it saw of each process, and says where the time went. */
export async function profileRun(
  processes: readonly Controlled[],
  { count, folder, row }: { count: number; folder: string; row: string },
  run: () => Promise<unknown>,
): Promise<readonly Line[]> {
  await Promise.all(processes.map((process) => process.ask('startProfile')));
  await run();
  mkdirSync(folder, { recursive: true });
  const lines: Line[] = [];
  for (const process of processes) {
    const profile = await process.ask<Profiler.Profile>('stopProfile');
    const file = join(folder, `${row}-${process.name}.cpuprofile`);
    writeFileSync(file, JSON.stringify(profile));
    lines.push({ title: `  where the time of ${process.name} goes`, note: file });
    for (const { name, seconds, share } of sharesOf(profile).slice(0, 20)) {
      const perCall = `${((seconds / count) * 1e6).toFixed(1).padStart(6)} us`;
      lines.push({ title: `    ${perCall}  ${(share * 100).toFixed(1).padStart(4)} %`, note: name });
    }
  }
  return lines;
}
