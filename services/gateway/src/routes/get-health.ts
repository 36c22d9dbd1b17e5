import type { Clock } from '@expert-relay/kit/clock';
import { sendResponse } from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import { withTimeout } from '@expert-relay/kit/timeout';
import type { EdgeStep } from '../call/edge-call.ts';

/** Whether the gateway can serve, for clients. Kubernetes asks the ops port, which has no rate limit. */
export function getHealth(options: { health: Health; version: string; clock: Clock }): EdgeStep {
  const { health, version, clock } = options;

  return async (_request, response) => {
    const missing = await health();
    await sendResponse(response, {
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
const checkTimeoutMs = 2_000;

/** Checks the dependencies when it is called, at most once a second. */
export function createHealth(options: {
  checks: Readonly<Record<string, () => Promise<boolean>>>;
  clock: Clock;
  log: Log;
}): Health {
  const { checks, clock, log } = options;
  let latest: { checkedAt: number; missing: Promise<string | undefined> } | undefined;
  let lastLogged: string | undefined;

  async function check(): Promise<string | undefined> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, isReachable]) =>
        (await withTimeout(isReachable(), checkTimeoutMs).catch(() => false)) ? [] : [name],
      ),
    );
    const missing = results.flat().join(', ') || undefined;
    if (missing !== lastLogged) {
      log.warn(
        { missing },
        missing ? 'the gateway cannot reach some dependencies' : 'the gateway reaches all dependencies again',
      );
    }
    lastLogged = missing;
    return missing;
  }

  return () => {
    const ageMs = latest ? clock.now() - latest.checkedAt : cacheMs;
    if (!latest || ageMs < 0 || ageMs >= cacheMs) latest = { checkedAt: clock.now(), missing: check() };
    return latest.missing;
  };
}
