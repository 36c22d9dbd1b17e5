import { createPool, type ServicePool } from '@expert-relay/kit/service-client';
import type { UpstreamName } from '../edge-route.ts';

/** A service behind the edge. */
export interface Upstream extends ServicePool {
  readonly name: UpstreamName;
  /** Whether anything answers there. */
  answers(): Promise<boolean>;
}

const probeLimit = 1_500;

export function createUpstream(name: UpstreamName, address: string): Upstream {
  const pool = createPool(address);
  return {
    ...pool,
    name,
    answers() {
      return new Promise((resolve) => {
        const probe = pool.open({ method: 'HEAD', path: '/', headers: {} }, false);
        const timer = setTimeout(() => probe.destroy(), probeLimit);
        probe.once('response', (answer) => {
          answer.resume();
          resolve(true);
        });
        probe.once('error', () => {});
        probe.once('close', () => {
          clearTimeout(timer);
          resolve(false);
        });
        probe.end();
      });
    },
  };
}
