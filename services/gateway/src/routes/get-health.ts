import type { Clock } from '@expert-relay/kit/clock';
import { sendAnswer } from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import type { EdgeStep } from '../call/edge-call.ts';
import { limitTime } from '../limit-time.ts';

/** Whether the gateway can serve. Kubernetes asks the ops port instead, which has no rate limit. */
export function getHealth(options: { health: Health; version: string; clock: Clock }): EdgeStep {
  const { health, version, clock } = options;

  return async (_request, response) => {
    const missing = await health();
    await sendAnswer(response, {
      status: missing ? 503 : 200,
      body: {
        status: missing ? 'unavailable' : 'ok',
        version,
        timestamp: new Date(clock.now()).toISOString(),
      },
      ...(missing && { headers: { 'retry-after': '2' } }),
    });
  };
}

/** The dependencies that the gateway cannot reach; undefined when it reaches all. */
export type Health = () => Promise<string | undefined>;

const cacheMs = 1_000;
const checkLimitMs = 2_000;

/** Checks when asked, at most once a second. */
export function createHealth(options: {
  checks: Readonly<Record<string, () => Promise<boolean>>>;
  clock: Clock;
  log: Log;
}): Health {
  const { checks, clock, log } = options;
  let latest: { since: number; missing: Promise<string | undefined> } | undefined;
  let logged: string | undefined;

  async function check(): Promise<string | undefined> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, works]) =>
        (await limitTime(checkLimitMs, works()).catch(() => false)) ? [] : [name],
      ),
    );
    const missing = results.flat().join(', ') || undefined;
    if (missing !== logged)
      log.warn(
        { missing },
        missing ? 'the gateway cannot reach some dependencies' : 'the gateway reaches all dependencies again',
      );
    logged = missing;
    return missing;
  }

  return () => {
    const age = latest ? clock.now() - latest.since : cacheMs;
    if (!latest || age < 0 || age >= cacheMs) latest = { since: clock.now(), missing: check() };
    return latest.missing;
  };
}
