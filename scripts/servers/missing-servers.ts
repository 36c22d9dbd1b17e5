import { StepError } from '../terminal/failure.ts';
import type { ServerKind, Wanted } from './server-kind.ts';

/** One message for all servers that were not found, with the commands that help. */
export function missingServers(missing: readonly Wanted[], troubles: readonly string[]): StepError {
  const kinds = missing.map(asNeeded);
  const debian = kinds.map((kind) => kind.debianPackage).join(' ');
  const homebrew = kinds.map((kind) => kind.homebrew).join(' ');
  return new StepError(
    [
      `${listed(missing.map(describeWanted))} ${kinds.length > 1 ? 'are' : 'is'} missing, and could not be fetched:`,
      ...troubles.map((trouble) => `  - ${trouble}`),
      ...missing.flatMap(needsItsOwn),
      '',
      'Do one of these, then run the same command again:',
      `  Debian, Ubuntu   sudo apt-get update && sudo apt-get install -y ${debian}`,
      `  macOS            brew install ${homebrew}`,
      '  Docker           start it, and it is used by itself. Or run them there by hand:',
      ...kinds.flatMap((kind) => [
        `                     ${kind.dockerByHand}`,
        `                     export ${kind.variable}=${dockerUrl(kind)}`,
      ]),
      `  Elsewhere        set ${listed(kinds.map((kind) => kind.variable))} to where they run`,
    ].join('\n'),
  );
}

/** Data is read only by the version that has made it. */
function asNeeded({ kind, data }: Wanted): ServerKind {
  const major = kind.majorOfData?.(data);
  if (major === undefined) return kind;
  return {
    ...kind,
    debianPackage: `${kind.debianPackage}-${major}`,
    homebrew: kind.homebrew.replace(/\d+$/, major),
    dockerByHand: kind.dockerByHand.replace(/postgres:\d+/, `postgres:${major}`),
  };
}

function describeWanted({ kind, data }: Wanted): string {
  const major = kind.majorOfData?.(data);
  if (major !== undefined) return `${kind.title} ${major}`;
  return `${kind.title} (${kind.name === 'nats' ? 'with JetStream, ' : ''}${kind.minimum} or later)`;
}

function dockerUrl({ name, example }: ServerKind): string {
  return name === 'postgres' ? 'postgres://postgres:relay@127.0.0.1:5432/postgres' : example;
}

function needsItsOwn({ kind, data }: Wanted): string[] {
  const major = kind.majorOfData?.(data);
  if (major === undefined) return [];
  return [
    `  - ${data} was made by ${kind.title} ${major}, and only that version reads it (or remove it to begin anew)`,
  ];
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
