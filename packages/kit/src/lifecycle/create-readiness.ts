import { Gauge, type Metrics } from '../metrics/index.ts';
import type { Part } from '../part/index.ts';

/** The response of /readyz. */
export interface Readiness {
  readonly ready: boolean;
  /** Why the service should get no traffic. */
  readonly reason?: string;
  /** Each dependency that cannot be used now, with the reason; also when the service is ready. */
  readonly away: Readonly<Record<string, string>>;
}

/** Decides whether a service is ready, and reports its dependencies. */
export function createReadiness(options: {
  parts: readonly Part[];
  /** Once ready, the service stays ready until it stops; then its parts do not matter. */
  staysReady: boolean;
  /** Why the service does not serve; undefined while it does. */
  phase: () => 'starting' | 'stopping' | undefined;
  metrics: Metrics;
}): () => Readiness {
  const { parts, staysReady, phase, metrics } = options;
  const dependencies = parts.flatMap(({ dependency }) => dependency ?? []);
  let wasReady = false;

  new Gauge({
    name: 'relay_dependency_up',
    help: 'Whether a dependency can be used: 1, or 0 while it is away. /readyz says why.',
    labelNames: ['dependency'],
    registers: [metrics],
    collect() {
      for (const { name, away } of dependencies) this.set({ dependency: name }, away() === undefined ? 1 : 0);
    },
  });

  function findReason(): string | undefined {
    const current = phase();
    if (current) return current;
    if (staysReady && wasReady) return undefined;
    for (const part of parts) {
      const reason = part.notReady?.();
      if (reason) return `${part.name}: ${reason}`;
    }
    wasReady = true;
    return undefined;
  }

  return () => {
    const reason = findReason();
    const away: Record<string, string> = {};
    for (const dependency of dependencies) {
      const cause = dependency.away();
      if (cause !== undefined) away[dependency.name] = cause;
    }
    return { ready: reason === undefined, ...(reason !== undefined && { reason }), away };
  };
}
