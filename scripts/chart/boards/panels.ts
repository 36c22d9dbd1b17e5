/** A figure on a board of Grafana: one panel, with one line for each series of its queries. */
export interface Panel {
  readonly title: string;
  /** What the reader should know that the title does not say. */
  readonly description?: string;
  /** A unit of Grafana. */
  readonly unit: string;
  /** PromQL, by the legend of its series. */
  readonly queries: Readonly<Record<string, string>>;
}

export interface Board {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The labels of every query: boards show one namespace, and one release in it or all. Others are added before the closing brace. */
export const here = (more = '') => `{namespace=~"$namespace", release=~"$release"${more && `, ${more}`}}`;

export const rate = (metric: string, more = '') => `rate(${metric}${here(more)}[$__rate_interval])`;
export const perSecond = (metric: string, by: string, more = '') => `sum by (${by}) (${rate(metric, more)})`;
export const total = (metric: string) => `sum(${rate(metric)})`;

/** The 50th and 99th percentile of a histogram. */
export const percentiles = (metric: string, more = '') =>
  Object.fromEntries(
    [0.5, 0.99].map((share) => [
      `p${share * 100}`,
      `histogram_quantile(${share}, ${perSecond(`${metric}_bucket`, 'le', more)})`,
    ]),
  );

export const p99By = (metric: string, label: string, more = '') => ({
  [`{{${label}}}`]: `histogram_quantile(0.99, ${perSecond(`${metric}_bucket`, `${label}, le`, more)})`,
});

export const calls = 'relay_http_request_seconds';
export const gateway = 'service="gateway"';
export const hub = 'service="hub"';

export const memory = (more = ''): Panel => ({
  title: 'Memory of each pod',
  unit: 'bytes',
  queries: { '{{pod}}': `max by (pod) (relay_process_resident_memory_bytes${here(more)})` },
});
export const cpu = (more = ''): Panel => ({
  title: 'CPU of each pod, in cores',
  unit: 'short',
  queries: { '{{pod}}': perSecond('relay_process_cpu_seconds_total', 'pod', more) },
});
export const eventLoop = (more: string): Panel => ({
  title: 'Event loop: 99th percentile of its delay',
  description: 'Above 0.1 s the process has more to do than one core can: add pods.',
  unit: 's',
  queries: { '{{pod}}': `max by (pod) (relay_nodejs_eventloop_lag_p99_seconds${here(more)})` },
});
export const refusedConnections = (more: string): Panel => ({
  title: 'Connections closed at once',
  description: 'Too many were open, from one address or in all. docs/limits.md lists the limits.',
  unit: 'cps',
  queries: { '{{pod}}': perSecond('relay_http_connections_refused_total', 'pod', more) },
});
