import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../local/home.ts';

const declarations =
  /new (Counter|Gauge|Histogram)\(\{\s*name: '(\w+)',\s*help:\s*'([^']+)',(?:\s*labelNames: \[([^\]]*)\])?/g;

const sections = [
  [
    'packages/kit/src',
    'All services',
    'HTTP, and what a service needs. A service has those of what it does.',
  ],
  [
    'packages/db/src',
    'The outbox',
    'Served by requests and messages: one of their processes publishes what both have committed.',
  ],
  ...['gateway', 'requests', 'messages', 'hub', 'expiry-worker', 'dashboard', 'notifier'].map(
    (service) => [`services/${service}/src`, service] as const,
  ),
] as const;

/** docs/metrics.md, from where the services declare their metrics. */
export function renderMetrics(): string {
  const tables = sections.map(([folder, title, about]) => {
    const rows = rowsOf(folder);
    const heading = ['', `## ${title}`, ...(about ? ['', about] : []), '', ''].join('\n');
    return rows.length === 0
      ? ''
      : `${heading}| Metric | Kind | Labels | Meaning |\n|---|---|---|---|\n${rows.join('')}`;
  });
  return `${introduction}${tables.join('')}`;
}

function rowsOf(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort();
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(root, folder, file), 'utf8');
      const found = [...text.matchAll(declarations)];
      if (found.length !== text.split(/new (?:Counter|Gauge|Histogram)\(/).length - 1)
        throw new Error(
          `${folder}/${file}: a metric is declared by \`name\`, \`help\` and \`labelNames\`, in this order, as texts.`,
        );
      return found.map(([, kind = '', name, help, labels = '']) => {
        const names = labels.replaceAll("'", '`').trim();
        return `| \`${name}\` | ${kind.toLowerCase()} | ${names} | ${help} |\n`;
      });
    });
}

const introduction = `# Metrics

<!-- Made by \`npm run docs\` from the code of the services. Do not edit. -->

Each process serves its metrics for Prometheus at \`/metrics\` on its own port (\`RELAY_OPS_PORT\`), and never
through the gateway. The chart makes PodMonitors, alerts ([runbook.md](runbook.md)) and boards of
Grafana with \`monitoring.*\`; \`networkPolicy.metricsFrom\` names who may read. Each metric has the
label \`service\`. No label names a user, a key or a request.

What people ask first:

| Question | Expression |
|---|---|
| calls a second, by route | \`sum by (route) (rate(relay_http_request_seconds_count{service="gateway"}[5m]))\` |
| share of calls that fail | \`sum(rate(relay_http_request_seconds_count{service="gateway",status=~"5.."}[5m])) / sum(rate(relay_http_request_seconds_count{service="gateway"}[5m]))\` |
| time that 99 of 100 calls need | \`histogram_quantile(0.99, sum by (le) (rate(relay_http_request_seconds_bucket{service="gateway"}[5m])))\` |
| agents and pages that listen | \`sum(relay_hub_streams)\` |
| events that wait to be published | \`max(relay_outbox_oldest_waiting_seconds)\` |
| notifications that fail, by reason | \`sum by (result) (rate(relay_notifier_attempts_total{result!="delivered"}[5m]))\` |

Beside these tables, each process has the metrics of Node and of the process from prom-client with the
prefix \`relay_\`, such as \`relay_process_resident_memory_bytes\` and \`relay_nodejs_eventloop_lag_p99_seconds\`.
`;
