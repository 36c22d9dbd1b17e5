import { closest } from 'fastest-levenshtein';
import { knownSettings } from './known-settings.ts';

/**
 * A warning for each variable that looks like a setting of Expert Relay and is not one. A misspelt name has no effect, which
 * is easily overlooked.
 */
export function unknownSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('RELAY_') && !knownSettings.includes(name) && !isForTests(name))
    .sort()
    .map(
      (name) =>
        `${name} is not a setting of Expert Relay and has no effect. The nearest name is ${closest(name, knownSettings)}; those of services are in docs/configuration.md, those of clients in \`relay help environment\`.`,
    );
}

const isForTests = (name: string): boolean => /^RELAY_(TEST|FUZZ)_/.test(name);
