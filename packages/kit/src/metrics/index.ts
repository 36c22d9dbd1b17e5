import { collectDefaultMetrics, Registry } from 'prom-client';

const eventLoopPrecisionMs = 200;

/**
 * Creates a registry for one service, since tests run several in one process. `forProcess` adds Node's own metrics: memory,
 * event loop, garbage collection.
 */
export function createMetrics(service: string, options: { forProcess: boolean }): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (options.forProcess) {
    collectDefaultMetrics({
      register: registry,
      prefix: 'relay_',
      // This timer wakes an idle process. At the default of 10 ms it costs 1 % of a core for each service.
      eventLoopMonitoringPrecision: eventLoopPrecisionMs,
    });
  }
  return registry;
}

export { Counter, Gauge, Histogram, type Registry as Metrics } from 'prom-client';
