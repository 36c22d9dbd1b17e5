import { mkdirSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { measureOnce } from '../measure/measure-once.ts';
import type { Subject } from '../measure/subject.ts';
import type { Line } from '../measure/table.ts';
import { sharesOf } from './shares.ts';

/** One more run under the profiler: writes what it saw, and says where the time went. */
export async function profileSubject(
  subject: Subject,
  { count, folder, row }: { count: number; folder: string; row: string },
): Promise<readonly Line[]> {
  const { processes } = subject;
  await Promise.all(processes.map((process) => process.ask('startProfile')));
  await measureOnce(subject, count);
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
