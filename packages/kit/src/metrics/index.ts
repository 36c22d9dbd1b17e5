import { collectDefaultMetrics, Registry } from 'prom-client';

const eventLoopPrecisionMs = 200;

/**
 * A registry of its own for each service, so that several can live in one process.
 * `forProcess` adds Node's own figures: memory, event loop, garbage collection.
 */
export function createMetrics(service: string, options: { forProcess: boolean }): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (options.forProcess) {
    collectDefaultMetrics({
      register: registry,
      prefix: 'relay_',
      // Its timer wakes an idle process this often. At the default of 10 ms that is 1 % of a core, for each service.
      eventLoopMonitoringPrecision: eventLoopPrecisionMs,
    });
  }
  return registry;
}

export { Counter, Gauge, Histogram, type Registry as Metrics } from 'prom-client';
