import type { Clock } from '@expert-relay/kit/clock';
import type { Log } from '@expert-relay/kit/log';
import { limitTime } from '../limit-time.ts';

/** Asks whether the edge can reach what it needs; undefined when it can, else what is missing. */
export type Health = () => Promise<string | undefined>;

const remembered = 1_000;
const longest = 2_000;

/** Checks on demand, at most once a second however often it is asked. */
export function createHealth(options: {
  checks: Readonly<Record<string, () => Promise<boolean>>>;
  clock: Clock;
  log: Log;
}): Health {
  const { checks, clock, log } = options;
  let latest: { since: number; missing: Promise<string | undefined> } | undefined;
  let said: string | undefined;

  async function check(): Promise<string | undefined> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, works]) =>
        (await limitTime(longest, works()).catch(() => false)) ? [] : [name],
      ),
    );
    const missing = results.flat().join(', ') || undefined;
    if (missing !== said)
      log.warn({ missing }, missing ? 'the edge cannot reach what it needs' : 'the edge is whole again');
    said = missing;
    return missing;
  }

  return () => {
    const age = latest ? clock.now() - latest.since : remembered;
    if (!latest || age < 0 || age >= remembered) latest = { since: clock.now(), missing: check() };
    return latest.missing;
  };
}
