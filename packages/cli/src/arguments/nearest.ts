import { distance as countEdits } from 'fastest-levenshtein';

/** The name that the user probably meant: at most two letters differ, and at least one is equal. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = countEdits(word, name);
    if (distance <= 2 && distance < name.length && (!best || distance < best.distance))
      best = { name, distance };
  }
  return best?.name;
}
