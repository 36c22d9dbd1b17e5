import { invalidInput } from './relay-error.ts';

/** Members that people expect here, and what they are called. */
const otherNames: Readonly<Record<string, string>> = { context: 'messages' };

/**
 * Refuses a member that is not in `takes`, a list of names with spaces between: it would be dropped without a word,
 * and a question would go out without its context.
 */
export function checkOptions<T extends object>(given: T, takes: string): T {
  const names = takes.split(' ');
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const shared = (other: string) => pairs(name).filter((pair) => pairs(other).includes(pair)).length;
    const [nearest = ''] = names.toSorted((one, other) => shared(other) - shared(one));
    const meant =
      names.find((one) => one === otherNames[name]) ?? (shared(nearest) > 0 ? nearest : undefined);
    throw invalidInput(
      `There is no option \`${name}\`.${meant ? ` Did you mean \`${meant}\`?` : ''} Options: ${names.join(', ')}.`,
    );
  }
  return given;
}

/** Each two letters that stand side by side. */
const pairs = (name: string): readonly string[] => {
  const letters = [...name.toLowerCase()];
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
};
