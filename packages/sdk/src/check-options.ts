import { invalidInput } from './relay-error.ts';

/**
 * Refuses a member that is not in `takes`, a list of names with spaces between: it would be dropped without a word,
 * and a question would go out without its context.
 */
export function checkOptions<T extends object>(given: T, takes: string): T {
  const names = takes.split(' ');
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      throw invalidInput(`There is no option \`${name}\`. Options: ${names.join(', ')}.`);
    }
  }
  return given;
}
