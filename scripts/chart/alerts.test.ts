import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readTree } from '../../test/rules/tree.ts';
import { root } from '../local/home.ts';
import { chart, manifestsOf, withHelm } from './testing/helm.ts';
import { testRules, withPromtool } from './testing/promtool.ts';

const file = join(chart, 'files/alerts.yaml');
const cases = join(root, 'scripts/chart/alerts.test.yaml');

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { runbook_url: string };
}
const alerts: Alert[] = parse(readFileSync(file, 'utf8')).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
);
const names = alerts.map(({ alert }) => alert);
const inNamespace = readFileSync(file, 'utf8')
  .replaceAll('RELEASE_NAMESPACE', 'relay')
  .replaceAll('RELEASE_INSTANCE', 'expert-relay')
  .replaceAll('RELEASE_PREFIX', 'expert-relay');

withPromtool('each alert fires when it should, and stays quiet when it should', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-alerts-'));
  writeFileSync(join(folder, 'alerts.yaml'), inNamespace);
  cpSync(cases, join(folder, 'cases.yaml'));
  const printed = await testRules(folder, 'cases.yaml');
  rmSync(folder, { recursive: true });
  expect(printed).toMatch(/SUCCESS\s*$/);
});

test('each alert has a case in which it fires', () => {
  const { tests } = parse(readFileSync(cases, 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const fired = tests
    .flatMap((one) => one.alert_rule_test)
    .filter(({ exp_alerts }) => exp_alerts.length > 0)
    .map(({ alertname }) => alertname);
  expect([...new Set(fired)].sort()).toEqual([...names].sort());
});

test('each alert is about metrics that a service has', () => {
  const code = [...readTree()]
    .filter(([path]) => /^(services|packages)\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'))
    .map(([, text]) => text)
    .join('\n');
  const metrics = alerts.flatMap(({ expr }) => expr.match(/\brelay_\w+/g) ?? []);
  const known = (name: string) => code.includes(`'${name.replace(/_(count|sum|bucket)$/, '')}'`);
  expect(metrics.filter((name) => !known(name))).toEqual([]);
  expect(metrics.length).toBeGreaterThanOrEqual(alerts.length);
});

test('each alert leads to its section of the runbook, whose table has its severity', () => {
  const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8');
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook_url).toMatch(new RegExp(`/docs/runbook\\.md#${alert.toLowerCase()}$`));
    expect(runbook).toContain(`\n### ${alert}\n`);
  }
  const rows = [...runbook.matchAll(/^\| \[(\w+)\]\(#(\w+)\) \| (\w+) \|/gm)].map(([, ...row]) => row);
  expect(rows.sort()).toEqual(
    alerts.map(({ alert, labels }) => [alert, alert.toLowerCase(), labels.severity]).sort(),
  );
});

withHelm('the chart hands these rules to the Prometheus operator, for its namespace', async () => {
  const ruleWith = async (...args: string[]) =>
    (await manifestsOf('everything', ...args)).find(({ kind }) => kind === 'PrometheusRule');
  const rule = await ruleWith();
  expect(rule?.spec).toEqual(parse(inNamespace));
  expect(rule?.metadata.labels.release).toBe('prometheus');

  // A service without pods is not missed.
  for (const service of ['gateway', 'notifier']) {
    const others = inNamespace.replace(new RegExp(`\\n *or absent\\([^\\n]*service="${service}"}\\)`), '');
    expect(others).not.toBe(inNamespace);
    expect((await ruleWith('--set', `services.${service}.replicas=0`))?.spec).toEqual(parse(others));
  }
});
