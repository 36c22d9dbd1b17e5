import type { Home } from '../local/home.ts';
import { missingServers } from './missing-servers.ts';
import { fromCache } from './sources/from-cache.ts';
import { fromDebian } from './sources/from-debian.ts';
import { fromNpm } from './sources/from-npm.ts';
import { inDocker } from './sources/in-docker.ts';
import { onThisMachine } from './sources/on-this-machine.ts';
import type { Found, Sought, Source } from './sources/source.ts';

const sources: readonly Source[] = [onThisMachine, fromCache, inDocker, fromDebian, fromNpm];

/** Finds every server that is sought, each from the first source that has it. */
export async function findServers(
  sought: readonly Sought[],
  home: Home,
  say: (text: string) => void,
): Promise<Found[]> {
  const found: Found[] = [];
  const troubles: string[] = [];
  let missing = sought;
  for (const source of sources) {
    if (missing.length === 0) return found;
    const answer = await source(missing, home, say);
    found.push(...answer.found);
    if (answer.trouble) troubles.push(answer.trouble);
    missing = missing.filter(({ kind }) => !found.some((one) => one.kind === kind));
  }
  if (missing.length > 0) throw missingServers(missing, troubles);
  return found;
}
