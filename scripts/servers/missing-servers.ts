import { StepError } from '../terminal/step-error.ts';
import type { ServerKind } from './server-kind.ts';
import type { Sought } from './sources/source.ts';

/** Names all servers that were not found, once, with the commands that mend it. */
export function missingServers(missing: readonly Sought[], troubles: readonly string[]): StepError {
  const kinds = missing.map(asNeeded);
  const debian = kinds.map((kind) => kind.debianPackage).join(' ');
  const homebrew = kinds.map((kind) => kind.homebrew).join(' ');
  return new StepError(
    [
      `${listed(missing.map(wanted))} ${kinds.length > 1 ? 'are' : 'is'} missing, and could not be fetched:`,
      ...troubles.map((trouble) => `  - ${trouble}`),
      ...missing.flatMap(needsItsOwn),
      '',
      'Any one of these mends it; then run the same command again:',
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

/** Where data waits for its own version, no other will do. */
function asNeeded({ kind, data }: Sought): ServerKind {
  const major = kind.majorOfData?.(data);
  if (major === undefined) return kind;
  return {
    ...kind,
    debianPackage: `${kind.debianPackage}-${major}`,
    homebrew: kind.homebrew.replace(/\d+$/, major),
    dockerByHand: kind.dockerByHand.replace(/postgres:\d+/, `postgres:${major}`),
  };
}

function wanted({ kind, data }: Sought): string {
  const major = kind.majorOfData?.(data);
  if (major !== undefined) return `${kind.title} ${major}`;
  return `${kind.title} (${kind.name === 'nats' ? 'with JetStream, ' : ''}${kind.minimum} or later)`;
}

function dockerUrl({ name, example }: ServerKind): string {
  return name === 'postgres' ? 'postgres://postgres:relay@127.0.0.1:5432/postgres' : example;
}

function needsItsOwn({ kind, data }: Sought): string[] {
  const major = kind.majorOfData?.(data);
  if (major === undefined) return [];
  return [
    `  - ${data} was made by ${kind.title} ${major}, and only that version reads it (or remove it to begin anew)`,
  ];
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
