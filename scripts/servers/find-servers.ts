import type { Home } from '../local/home.ts';
import { findPrograms } from './find-program.ts';
import { missingServers } from './missing-servers.ts';
import { type Found, pickProgram, type Source, type Wanted } from './server-kind.ts';
import { fromDebian, unpackedProgram } from './sources/debian.ts';
import { fromDocker } from './sources/docker.ts';
import { fromNpm, npmProgram } from './sources/npm.ts';

/** Programs on PATH, in the usual folders, and those that an earlier run has fetched. */
const fromThisMachine: Source = async (wanted, { cache }) => {
  const found = await Promise.all(
    wanted.map(async (one) => {
      const fetched = one.kind.name === 'postgres' ? npmProgram : unpackedProgram;
      return (
        pickProgram(one, await findPrograms(one.kind)) ??
        pickProgram(
          one,
          [await fetched(one.kind, cache)].flatMap((program) => program ?? []),
        )
      );
    }),
  );
  return { found: found.flatMap((one) => one ?? []) };
};

const sources: readonly Source[] = [fromThisMachine, fromDocker, fromDebian, fromNpm];

/** Finds each server in the first source that has it. */
export async function findServers(
  wanted: readonly Wanted[],
  home: Home,
  say: (text: string) => void,
): Promise<Found[]> {
  const found: Found[] = [];
  const troubles: string[] = [];
  let missing = wanted;
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
