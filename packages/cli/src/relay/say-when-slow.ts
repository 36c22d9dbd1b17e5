import type { Screen } from '../terminal/screen.ts';

const soon = 3_000;

/** Calls are repeated for more than a minute: whoever waits for one should know why nothing happens. */
export async function sayWhenSlow<T>(err: Screen, call: Promise<T>): Promise<T> {
  const say = setTimeout(
    () => err.paragraph('The relay does not answer yet. Trying on; Ctrl-C stops.'),
    soon,
  );
  try {
    return await call;
  } finally {
    clearTimeout(say);
  }
}
