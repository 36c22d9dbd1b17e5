import type { Profiler } from 'node:inspector';

export interface Share {
  readonly name: string;
  /** In the code itself, not in what it calls. */
  readonly seconds: number;
  /** Of all the time in which the process was not idle. */
  readonly share: number;
}

/** Adds a profile up by where the code comes from: a package, a part of Node, one of our own files. */
export function sharesOf(profile: Profiler.Profile): readonly Share[] {
  const names = new Map(profile.nodes.map((node) => [node.id, placeOf(node.callFrame)]));
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

function placeOf({ url, functionName }: Profiler.ProfileNode['callFrame']): string {
  const dependency = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1];
  if (dependency) return dependency;
  const own = /\/(?:services|packages)\/.+$/.exec(url)?.[0];
  if (own) return own.slice(1).replace('/dist/', '/');
  return url || functionName || '(anonymous)';
}
