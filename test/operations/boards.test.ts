import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  deleteRedisKeys,
  eventually,
  openStream,
  startOwnNats,
  submit,
  testServers,
  topicUrl,
} from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import pg from 'pg';
import { testRules, withPromtool } from '../../scripts/chart/testing/promtool.ts';
import { root } from '../../scripts/local/home.ts';
import { type Product, runProduct } from './run-product.ts';
import { createUser, makeDatabase, makeSecret, migrate } from './run-programs.ts';

/*
 * Prometheus' own tool evaluates each query of the Grafana boards with the /metrics of the running product. A metric, a
 * label or a value that does not exist gives an empty result.
 */

interface Target {
  expr: string;
  legendFormat: string;
}
const folder = join(root, 'charts/expert-relay/files/boards');
const targets = readdirSync(folder).flatMap((file) =>
  (
    JSON.parse(readFileSync(join(folder, file), 'utf8')).panels as { title: string; targets: Target[] }[]
  ).flatMap((panel) => panel.targets.map((target) => ({ name: `${file}: ${panel.title}`, ...target }))),
);

const prefix = `boards-${crypto.randomUUID().slice(0, 8)}`;

withPromtool('each panel of the boards has data from the running product', async () => {
  const servers = testServers();
  const ownNats = await startOwnNats();
  await using database = await makeDatabase();
  await migrate(database.url);
  try {
    const secret = await makeSecret({ ...servers, natsUrl: ownNats.url, databaseUrl: database.url });
    await using product = await runProduct({ secret, settings });
    const metrics = await produceMetrics(product, database.url, servers.redisUrl);
    const results = await evaluate(
      targets.map(({ expr }) => expr),
      metrics,
    );
    const problems = targets.flatMap(({ name, expr, legendFormat }) =>
      problemsOf(results.get(expr), legendFormat).map((problem) => `${name}: ${problem}: ${expr}`),
    );
    expect(problems).toEqual([]);
    expect(targets.length).toBeGreaterThan(50);

    const wrong = [
      'max by (pod) (relay_none)',
      'sum by (colour) (relay_hub_streams)',
      'relay_hub_streams{access="none"}',
    ];
    const wrongResults = await evaluate(wrong, metrics);
    expect(wrong.map((expr) => problemsOf(wrongResults.get(expr), '{{colour}}').length)).toEqual([1, 1, 1]);
  } finally {
    await ownNats.stop();
    await deleteRedisKeys(servers.redisUrl, prefix);
  }
});

/** Low limits, so that this test reaches them. */
const settings = {
  RELAY_REDIS_PREFIX: prefix,
  RELAY_DATABASE_POOL: '2',
  RELAY_CONVERSATION_TTL: '10s',
  RELAY_RETENTION: '1s',
  RELAY_PURGE_INTERVAL: '1s',
  RELAY_RATE_LIMIT_API: '0',
  RELAY_RATE_LIMIT_PAGES: '0',
  RELAY_RATE_LIMIT_POLL: '1',
  RELAY_BUFFER_MEMORY: '2097152',
  RELAY_HUB_MAX_STREAMS_ANONYMOUS: '1',
  RELAY_HUB_RING_EVENTS: '1',
  RELAY_HUB_SCANS_PER_ADDRESS: '1',
  RELAY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

/** Causes each event that a metric counts, and returns the metrics of all services. */
async function produceMetrics(
  product: Product,
  databaseUrl: string,
  redisUrl: string,
): Promise<Record<string, string>> {
  const { gatewayUrl, hubUrl, urls } = product;
  const database = new pg.Client(databaseUrl);
  await database.connect();
  try {
    const { consumerKey, providerKey, userId } = await createUser(databaseUrl);
    const topic = topicUrl(hubUrl, `/svc/providers/${userId}`);
    const withKey = { headers: { 'x-api-key': providerKey } };
    const first = await openStream(topic, withKey);
    const { body } = await submit(gatewayUrl, consumerKey);
    const message = { role: 'provider', plaintext: 'Yes.' };
    await fetch(`${gatewayUrl}/api/v1/message/${body.requestId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...withKey.headers },
      body: JSON.stringify(message),
    });
    await fetch(`${gatewayUrl}/api/v1/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...withKey.headers },
      body: JSON.stringify({ url: `${gatewayUrl}/not-a-receiver` }),
    });
    for (const _ of [1, 2, 3]) await submit(gatewayUrl, consumerKey);
    await eventually('the events', () => first.events.length >= 4);
    const ownTopic = topicUrl(hubUrl, `/svc/requests/${body.requestId}`);
    // The message is not in the ring, so the hub scans; the second scan of an address in a minute is refused.
    await eventually('a refused scan', async () => {
      const resumed = await openStream(`${ownTopic}&lastEventId=earliest`);
      const started = await eventually('the first event of the stream', () => resumed.events[0]);
      await resumed.close();
      return started.event === 'hub.reset';
    });
    const anonymous = await openStream(ownTopic);
    // One stream without a key is open already, so this one is refused.
    await (await openStream(ownTopic)).close();

    await fetch(`${gatewayUrl}/api/v1/whoami`, { headers: { 'x-api-key': 'hs_wrong' } });
    for (const _ of [1, 2]) await fetch(`${gatewayUrl}/api/v1/help/${body.requestId}`);
    await fetch(`${urls.requests}/api/v1/whoami`);
    const slow = Array.from({ length: 4 }, () => sendIncomplete(gatewayUrl));
    // After the purge, the worker fails to sweep, and must restore its schedulers.
    await hasMetric(product, 'expiry-worker', /^relay_purge_removed_total\S* [1-9]/m);
    await database.query('ALTER TABLE request_stages RENAME TO request_stages_away');
    await hasMetric(product, 'expiry-worker', /^relay_expiry_job_failures_total\S* [1-9]/m);
    await deleteRedisKeys(redisUrl, prefix);
    await hasMetric(product, 'expiry-worker', /^relay_expiry_scheduler_restored_total\S* [1-9]/m);
    await hasMetric(product, 'gateway', /^relay_gateway_bodies_refused_total\S* [1-9]/m);
    await hasMetric(product, 'notifier', /^relay_notifier_attempts_total\S* [1-9]/m);
    const metrics = await product.metrics();
    for (const socket of slow) socket.destroy();
    await Promise.all([first.close(), anonymous.close()]);
    return metrics;
  } finally {
    await database.end();
  }
}

/** A call that never sends the end of its body. */
function sendIncomplete(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(
    `POST /api/v1/help HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n${'x'.repeat(900_000)}`,
  );
  return socket;
}

const hasMetric = (product: Product, service: 'gateway' | 'expiry-worker' | 'notifier', line: RegExp) =>
  eventually(String(line), async () => line.test((await product.metrics())[service]));

interface Result {
  /** The error of promtool, if the expression is invalid. */
  error?: string;
  /** The labels of each series. */
  labels: string[][];
}

function problemsOf(result: Result | undefined, legend: string): string[] {
  if (!result) return ['was not evaluated'];
  if (result.error) return [result.error];
  if (result.labels.length === 0) return ['gives nothing'];
  const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
  return named
    .filter((label) => !result.labels.every((labels) => labels.includes(label)))
    .map((label) => `has no label ${label}`);
}

/**
 * Evaluates expressions with `promtool test rules`. The tests expect empty results, so promtool reports all others.
 * Counters grow by their value each minute, as if the same events happened again.
 */
async function evaluate(
  expressions: readonly string[],
  metrics: Record<string, string>,
): Promise<Map<string, Result>> {
  const series = Object.entries(metrics).flatMap(([service, text]) =>
    [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)]
      .filter(([, , , value]) => Number.isFinite(Number(value)))
      .map(([, name = '', labels = '', value]) => ({
        series: `${name}{${labels},namespace="relay",release="relay",pod="${service}-0"}`,
        values: /_(total|count|sum|bucket)$/.test(name) ? `0+${value}x10` : `${value}x10`,
      })),
  );
  const substituted = new Map(
    expressions.map((expr) => [
      expr.replaceAll(/\$(namespace|release)/g, 'relay').replaceAll('$__rate_interval', '5m'),
      expr,
    ]),
  );
  const results = new Map<string, Result>();
  const workFolder = mkdtempSync(join(tmpdir(), 'relay-boards-'));
  try {
    const queries = [...substituted.keys()].map((expr) => ({ expr, eval_time: '10m', exp_samples: [] }));
    const tests = [{ interval: '1m', input_series: series, promql_expr_test: queries }];
    writeFileSync(join(workFolder, 'boards.yaml'), JSON.stringify({ rule_files: [], tests }));
    const output = await testRules(workFolder, 'boards.yaml');
    for (const expr of expressions) results.set(expr, { labels: [] });
    for (const [, quoted = '', message = ''] of output.matchAll(
      /expr: ("(?:[^"\\]|\\.)*"), time: 10m,?\s*([\s\S]*?)(?=\n\s+expr: |\n*$)/g,
    )) {
      const expr = substituted.get(JSON.parse(quoted)) ?? '';
      const labels = [...message.matchAll(/\{([^}]*)\} \S+E[+-]\d+/g)].map(([, list = '']) =>
        list.split(', ').map((one) => one.split('=')[0] ?? ''),
      );
      results.set(expr, /\berr\b/.test(message) ? { error: message, labels } : { labels });
    }
  } finally {
    rmSync(workFolder, { recursive: true });
  }
  return results;
}
