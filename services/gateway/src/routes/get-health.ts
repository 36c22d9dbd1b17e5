import type { Clock } from '@expert-relay/kit/clock';
import { sendAnswer } from '@expert-relay/kit/http';
import type { EdgeStep } from '../edge-call.ts';
import type { Health } from '../health/create-health.ts';

/** Whether the edge can serve. Kubernetes asks the ops port instead, which knows no rate limit. */
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
