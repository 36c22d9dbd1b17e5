import { mkdirSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import type { BenchProcess } from '../environment/processes.ts';
import type { Line } from './table.ts';

/** Calls `run` under the profiler, writes a profile of each process, and gives the largest shares of its time. */
export async function profileRun(
  processes: readonly BenchProcess[],
  { count, folder, row }: { count: number; folder: string; row: string },
  run: () => Promise<unknown>,
): Promise<readonly Line[]> {
  await Promise.all(processes.map((process) => process.call('startProfile')));
  await run();
  mkdirSync(folder, { recursive: true });
  const lines: Line[] = [];
  for (const process of processes) {
    const profile = await process.call<Profiler.Profile>('stopProfile');
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

interface Share {
  readonly name: string;
  /** Without the time in functions that it calls. */
  readonly seconds: number;
  /** Of the time in which the process was not idle. */
  readonly share: number;
}

/** Sums a profile by the source of the code: a package, a part of Node, or one of our own files. */
function sharesOf(profile: Profiler.Profile): readonly Share[] {
  const names = new Map(profile.nodes.map((node) => [node.id, sourceOf(node.callFrame)]));
  const times = new Map<string, number>();
  for (const [at, id] of (profile.samples ?? []).entries()) {
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + (profile.timeDeltas?.[at] ?? 0) / 1e6);
  }
  times.delete('(idle)');
  const busy = [...times.values()].reduce((sum, seconds) => sum + seconds, 0);
  return [...times]
    .map(([name, seconds]) => ({ name, seconds, share: seconds / busy }))
    .sort((a, b) => b.seconds - a.seconds);
}

function sourceOf({ url, functionName }: Profiler.ProfileNode['callFrame']): string {
  const dependency = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1];
  if (dependency) return dependency;
  const own = /\/(?:services|packages)\/.+$/.exec(url)?.[0];
  if (own) return own.slice(1).replace('/dist/', '/');
  return url || functionName || '(anonymous)';
}
