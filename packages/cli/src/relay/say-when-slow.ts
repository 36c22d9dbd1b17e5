import type { Screen } from '../terminal/screen.ts';
import type { Outages } from './outages.ts';

const slowAfterMs = 3_000;

/** Says after a while that a call is not answered, unless an outage was reported, which explains it. */
export async function sayWhenSlow<T>(err: Screen, outages: Outages, call: Promise<T>): Promise<T> {
  const say = setTimeout(() => {
    if (!outages.current) err.paragraph('The relay does not answer yet. Trying on; Ctrl-C stops.');
  }, slowAfterMs);
  try {
    return await call;
  } finally {
    clearTimeout(say);
  }
}
