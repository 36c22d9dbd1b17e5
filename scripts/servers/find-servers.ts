import { inOneLine, StepError } from '../terminal/failure.ts';
import { findPrograms, pickProgram } from './find-program.ts';
import type { Found, Placement, ServerKind, Source } from './server-kind.ts';
import { debian } from './sources/debian.ts';
import { fromDocker } from './sources/docker.ts';
import { npm } from './sources/npm.ts';

const fetcherOf = (kind: ServerKind) => (kind.name === 'postgres' ? npm : debian);

/** Programs on PATH, in the usual folders, and those that an earlier run has fetched. */
const fromThisMachine: Source = async (placement) => {
  const { kind, home } = placement;
  return (
    pickProgram(placement, await findPrograms(kind)) ??
    pickProgram(placement, await fetcherOf(kind).programs(kind, home.cache)) ??
    ''
  );
};

/** Programs that are fetched now. */
const fromElsewhere: Source = async (placement, say) => {
  const { kind, home } = placement;
  const { title, fetch, programs } = fetcherOf(kind);
  say(title(kind));
  try {
    await fetch(kind, home.cache);
  } catch (error) {
    return inOneLine(error);
  }
  return (
    pickProgram(placement, await programs(kind, home.cache)) ?? `${title(kind)}: another version is needed`
  );
};

const sources: readonly Source[] = [fromThisMachine, fromDocker, fromElsewhere];

/** Finds each server in the first source that has it. */
export async function findServers(
  wanted: readonly Placement[],
  say: (text: string) => void,
): Promise<Map<Placement, Found>> {
  const found = new Map<Placement, Found>();
  const reasons = new Set<string>();
  for (const placement of wanted) {
    for (const source of sources) {
      if (found.has(placement)) break;
      const answer = await source(placement, say);
      if (typeof answer !== 'string') found.set(placement, answer);
      else if (answer) reasons.add(answer);
    }
  }
  const missing = wanted.filter((placement) => !found.has(placement));
  if (missing.length > 0) throw missingServers(missing, [...reasons]);
  return found;
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
