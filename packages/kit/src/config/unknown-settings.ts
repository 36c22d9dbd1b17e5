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
        `${name} is not a setting of Expert Relay and has no effect. The nearest name is ${nearestName(name)}; all are in docs/configuration.md.`,
    );
}

const isForTests = (name: string): boolean => /^RELAY_(TEST|FUZZ)_/.test(name);

function nearestName(name: string): string {
  const [first = ''] = knownSettings
    .map((known) => ({ known, distance: countEdits(name, known) }))
    .sort((one, other) => one.distance - other.distance)
    .map(({ known }) => known);
  return first;
}

/** The Levenshtein distance, computed row by row. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, against] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (letter === against ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
