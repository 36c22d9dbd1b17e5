import { inOneLine, StepError } from '../terminal/failure.ts';
import { findPrograms, pickProgram } from './find-program.ts';
import type { Found, Placement } from './server-kind.ts';
import { unpackedPrograms, unpackPackages } from './sources/debian.ts';
import { findContainer } from './sources/docker.ts';
import { fetchedPostgres, fetchPostgres } from './sources/npm.ts';

/** Finds each server: a program of this machine or of an earlier run, a container, or a program that is fetched now. */
export async function findServers(
  wanted: readonly Placement[],
  say: (text: string) => void,
): Promise<Map<Placement, Found>> {
  const found = new Map<Placement, Found>();
  const reasons = new Set<string>();
  for (const placement of wanted) {
    const place = (server: Found | string | undefined) => {
      if (typeof server === 'string') reasons.add(server);
      else if (server) found.set(placement, server);
      return found.has(placement);
    };
    if (place(await onThisMachine(placement)) || place(await findContainer(placement, say))) continue;
    place(await fetchProgram(placement, say).catch(inOneLine));
  }
  const missing = wanted.filter((placement) => !found.has(placement));
  if (missing.length > 0) throw missingServers(missing, [...reasons]);
  return found;
}

const isPostgres = ({ kind }: Placement) => kind.name === 'postgres';

async function onThisMachine(placement: Placement): Promise<Found | undefined> {
  const { kind, home } = placement;
  const fetched = isPostgres(placement) ? fetchedPostgres : unpackedPrograms;
  return (
    pickProgram(placement, await findPrograms(kind)) ??
    pickProgram(placement, await fetched(kind, home.cache))
  );
}

async function fetchProgram(placement: Placement, say: (text: string) => void): Promise<Found | string> {
  const { kind, home } = placement;
  say(isPostgres(placement) ? 'npm install' : `apt-get download ${kind.debian}`);
  await (isPostgres(placement) ? fetchPostgres(home.cache) : unpackPackages(kind.debian, home.cache));
  return (
    (await onThisMachine(placement)) ??
    `${kind.title}: another version than the one that can be fetched is needed`
  );
}

/** One message for all servers that were not found, with the commands that help. */
export function missingServers(
  missing: readonly Pick<Placement, 'kind' | 'data'>[],
  reasons: readonly string[],
): StepError {
  const servers = missing.map(({ kind, data }) => ({ ...kind, data, major: kind.majorOfData?.(data) }));
  const titles = servers.map(({ title, minimum, major }) => `${title} ${major ?? `${minimum} or later`}`);
  const debianNames = servers.map(({ debian: name, major }) => (major ? `${name}-${major}` : name));
  const formulas = servers.map(({ homebrew, major }) => homebrew.replace(/(?<=@).*/, major ?? '$&'));
  const ofOtherVersions = servers.filter(({ major }) => major !== undefined);
  return new StepError(
    [
      `${listed(titles)} ${servers.length > 1 ? 'are' : 'is'} missing, and could not be fetched:`,
      ...reasons.map((reason) => `  - ${reason}`),
      ...ofOtherVersions.map(({ title, data, major }) => `  - ${data} was made by ${title} ${major}`),
      '',
      'Do one of these, then run the same command again:',
      `  Debian, Ubuntu   sudo apt-get update && sudo apt-get install -y ${debianNames.join(' ')}`,
      `  macOS            brew install ${formulas.join(' ')}`,
      '  Docker           start it: this command then uses it',
      `  Elsewhere        set ${listed(servers.map(({ variable }) => variable))} to where they run`,
    ].join('\n'),
  );
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en').format(words);
}
