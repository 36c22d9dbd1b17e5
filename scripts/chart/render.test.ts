import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isMap, parseDocument, type Scalar, type YAMLMap } from 'yaml';
import { testUnless } from '../testing/test-unless.ts';
import { caseFile, chart, helm, helmMissing, refusalOf, render, withHelm } from './testing/helm.ts';
import { python, pythonMissing } from './testing/python.ts';

const withSchemas = testUnless(helmMissing ?? pythonMissing);

const cases = readdirSync(join(chart, 'ci')).map((file) => file.replace('-values.yaml', ''));
/** Kinds of others, whose schemas are not part of Kubernetes. */
const unknownKinds = /Couldn't find schema for kind (HTTPRoute|PodMonitor|PrometheusRule) /;

withHelm.each(cases)('helm lint --strict takes the case %s', async (name) => {
  const output = await helm(
    'lint',
    '--strict',
    '--kube-version',
    '1.34.0',
    chart,
    '--values',
    caseFile(name),
  );
  expect(output).toContain('0 chart(s) failed');
});

withSchemas(`all cases fit the schemas of Kubernetes 1.28 and 1.34, save kinds of others`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-chart-'));
  try {
    for (const name of cases) {
      writeFileSync(join(folder, `${name}.yaml`), await render(['--values', caseFile(name)]));
    }
    const files = cases.map((name) => join(folder, `${name}.yaml`));
    const versions = ['-k', '1.28', '-k', '1.34'];
    const { code, output } = await python(['-m', 'kubernetes_validate', ...versions, '--strict', ...files]);
    const lines = output.split('\n').filter((line) => line !== '' && !unknownKinds.test(line));
    expect(lines.filter((line) => !/ passed for resource /.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThan(100);
    expect(code).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

withSchemas('a field that Kubernetes does not know would be found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-chart-'));
  const file = join(folder, 'service.yaml');
  writeFileSync(file, 'apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec: { port: 80 }\n');
  const { code, output } = await python(['-m', 'kubernetes_validate', '-k', '1.34', '--strict', file]);
  rmSync(folder, { recursive: true });
  expect(output).toContain("'port' was unexpected");
  expect(code).not.toBe(0);
});

test('values.yaml explains each value, and values.schema.json has the same ones', () => {
  const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
  const resolve = ({ $ref = '' }) => schema.$defs[$ref.replace('#/$defs/', '')];
  const problems: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: a part of a JSON schema.
  const compare = (map: YAMLMap, node: any, path: string) => {
    const { allOf = [], properties = {} } = resolve(node) ?? node;
    // Of a service, the last part of `allOf` names all that is allowed, and the first one describes it.
    const known = Object.keys(allOf.at(-1)?.properties ?? properties);
    const names = map.items.map(({ key }) => String(key));
    const more = known.filter((name: string) => !names.includes(name) && `${path}${name}` !== 'global');
    problems.push(...more.map((name: string) => `${path}${name} is only in the schema`));
    const members = Object.assign({}, properties, ...allOf.map((one: object) => resolve(one)?.properties));
    for (const [at, { key, value }] of map.items.entries()) {
      const { value: name, commentBefore } = key as Scalar<string>;
      if (commentBefore ?? (at === 0 && map.commentBefore)) continue;
      if (isMap(value)) compare(value, members[name] ?? {}, `${path}${name}.`);
      else problems.push(`${path}${name} has no comment`);
    }
  };
  compare(parseDocument(readFileSync(join(chart, 'values.yaml'), 'utf8')).contents as YAMLMap, schema, '');
  expect(problems).toEqual([]);
});

withHelm.each([
  ['a budget of a share', 'services.hub.disruptionBudget.maxUnavailable=50%'],
  ['another budget of a share', 'services.hub.disruptionBudget.minAvailable=50%'],
  ['a budget that lets one of two pods go', 'services.hub.disruptionBudget.minAvailable=1'],
  ['a budget of a service that has one pod', 'services.notifier.disruptionBudget.minAvailable=1'],
  ['another prefix in a server of your own', 'settings.RELAY_NATS_PREFIX=staging'],
  ['ports of this machine', 'publicUrl=http://127.0.0.1:8080,hub.publicUrl=http://127.0.0.1:8090'],
  ['a budget that was reset', 'services.hub.disruptionBudget=null'],
  ['an address that was reset', 'hub.publicUrl=null'],
  [
    'networks',
    'trustedProxies={10.0.0.7,fd00::/8,::ffff:10.0.0.1},networkPolicy.webhooksExcept={203.0.113.0/24,2001:db8::/32}',
  ],
  ['an address with a port', 'publicUrl=http://[fd00::7]:8080'],
])('%s is accepted', async (_, values) => {
  const least = 'publicUrl=https://relay.example.com,secrets.existing=relay-secrets';
  expect(await render(['--set', least, '--set', values])).toContain('kind: Deployment');
});

/** What the chart makes from other values, apart from the size of the pool, and what is fixed. */
const setByChart = readFileSync(join(chart, 'templates/_environment.tpl'), 'utf8')
  .split('define "relay.chartSettings"')
  .slice(1)
  .flatMap((text) => [...text.matchAll(/^(RELAY_\w+):/gm)].map(([, name = '']) => name))
  .filter((name) => name !== 'RELAY_DATABASE_POOL')
  .concat(['REQUESTS', 'MESSAGES', 'DASHBOARD', 'NOTIFIER'].map((name) => `RELAY_${name}_URL`))
  .concat(
    'RELAY_HOST',
    'RELAY_PORT',
    'RELAY_OPS_PORT',
    'RELAY_NATS_CA_FILE',
    'RELAY_WEB_FOLDER',
    'RELAY_DEV_LOGIN',
  );

describe('refusals say what to do', () => {
  const least = ['--set', 'publicUrl=https://relay.example.com', '--set', 'secrets.existing=relay-secrets'];
  const plus = (...values: string[]) => [...least, ...values.flatMap((value) => ['--set', value])];

  withHelm.each<[string, string[], RegExp]>([
    [
      'no address',
      ['--set', 'secrets.existing=relay-secrets'],
      /publicUrl is empty. Set it .*--set publicUrl=/,
    ],
    [
      'no secret',
      ['--set', 'publicUrl=https://relay.example.com'],
      /DATABASE_URL=\.\.\. .*node make-secrets\.mjs \| kubectl create secret generic relay-secrets --namespace relay /,
    ],
    [
      'no secret of trial servers',
      ['--set', 'publicUrl=https://relay.example.com,postgres.trial.enabled=true'],
      /node make-secrets\.mjs --trial expert-relay \| kubectl create secret generic/,
    ],
    [
      'an ingress without trusted proxies',
      plus('ingress.enabled=true'),
      /trustedProxies is empty .* share the rate limit .*--set 'trustedProxies=\{10\.42\.3\.17\}'/,
    ],
    [
      'routes without trusted proxies',
      plus('gatewayApi.enabled=true', 'gatewayApi.parentRefs[0].name=public'),
      /trustedProxies is empty although a proxy is in front/,
    ],
    [
      'routes of no Gateway',
      plus('gatewayApi.enabled=true', 'trustedProxies={10.0.0.0/8}'),
      /gatewayApi[./]parentRefs.*minItems/s,
    ],
    [
      'no way to the hub',
      plus('ingress.enabled=true', 'ingress.hub=false', 'trustedProxies={10.0.0.0/8}'),
      /hub\.publicUrl is empty although no route leads to the hub/,
    ],
    [
      'more connections than Postgres allows',
      plus('services.gateway.replicas=20'),
      /Postgres would get up to 175 connections, and postgres\.maxConnections is 97\. Raise max_connections/,
    ],
    [
      'more connections than a trial server allows',
      plus('postgres.trial.enabled=true', 'postgres.maxConnections=200'),
      /postgres[./]maxConnections.*got 200, want 97/s,
    ],
    ...[
      ['the same address', 'hub.publicUrl=https://relay.example.com'],
      ['the same address without a route', 'ingress.hub=false', 'hub.publicUrl=https://relay.example.com'],
      ['another port of one host', 'hub.publicUrl=https://relay.example.com:8443'],
      ['another spelling of one host', 'hub.publicUrl=https://RELAY.example.com'],
    ].map(([name = '', ...values]): [string, string[], RegExp] => [
      `gateway and hub: ${name}`,
      plus('ingress.enabled=true', 'trustedProxies={10.0.0.7}', ...values),
      /hub\.publicUrl is on the host of publicUrl, where all calls lead to the gateway/,
    ]),
    ...[
      'settings.OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318',
      'services.notifier.env.RELAY_WEBHOOK_ALLOWED_NETWORKS=10.1.0.0/16',
    ].map((setting): [string, string[], RegExp] => [
      `an address that no policy lets out: ${setting}`,
      plus(setting),
      /networkPolicy\.extraEgress is empty although (OTEL_|RELAY_WEBHOOK_)[A-Z_]+ is set/,
    ]),
    [
      'a pooler with a trial server',
      plus('postgres.trial.enabled=true', 'postgres.external.pooler=true'),
      /postgres\.external\.pooler does not go with postgres\.trial/,
    ],
    [
      'one certificate for two hosts',
      plus(
        'ingress.enabled=true',
        'trustedProxies={10.0.0.7}',
        'hub.publicUrl=https://events.example.com',
        'ingress.tlsSecret=relay-tls',
      ),
      /ingress\.hubTlsSecret is empty although the hub has a host of its own, events\.example\.com/,
    ],
    ...[
      'podAnnotations',
      'podLabels',
      'nodeSelector',
      'ingress.annotations',
      'serviceAccount.annotations',
      'migration.annotations',
      'monitoring.podMonitor.labels',
      'monitoring.dashboards.annotations',
      'services.hub.service.annotations',
    ].map((texts): [string, string[], RegExp] => [
      `a number in ${texts}`,
      plus(`${texts}.port=9090`),
      /got number, want string/,
    ]),
    ['a number as a variable', plus('extraEnv[0].name=A', 'extraEnv[0].value=1'), /got number, want string/],
    [
      'an address with a slash',
      plus('publicUrl=https://relay.example.com/'),
      /publicUrl.*does not match pattern/s,
    ],
    [
      'an address without http',
      plus('hub.publicUrl=events.example.com'),
      /publicUrl.*does not match pattern/s,
    ],
    ...['10.0.0.0/33', '10.0.0.300', '2001:db8::/129', 'proxy'].map((address): [string, string[], RegExp] => [
      `a proxy at ${address}`,
      plus(`trustedProxies={${address}}`),
      /trustedProxies[./]0/,
    ]),
    ...['10.0.0.0/40', '10.0.0.1', '0.0.0.0/0', 'fd00::/8', '::1/128', '2000::/3'].map(
      (network): [string, string[], RegExp] => [
        `the network ${network}, which is no part of the public ones`,
        plus(`networkPolicy.webhooksExcept={${network}}`),
        /webhooksExcept[./]0/,
      ],
    ),
    [
      'a budget of two kinds',
      plus('services.hub.disruptionBudget.minAvailable=1', 'services.hub.disruptionBudget.maxUnavailable=1'),
      /disruptionBudget.*maxProperties/s,
    ],
    ...['minAvailable=100%', 'maxUnavailable=0', 'maxUnavailable=0%'].map(
      (budget): [string, string[], RegExp] => [
        `a budget that lets no pod go: ${budget}`,
        plus(`services.hub.disruptionBudget.${budget}`),
        /disruptionBudget[./](minAvailable|maxUnavailable)/,
      ],
    ),
    ...['minAvailable=2', 'minAvailable=51%'].map((budget): [string, string[], RegExp] => [
      `a budget that lets none of two pods go: ${budget}`,
      plus(`services.hub.disruptionBudget.${budget}`),
      /services\.hub\.disruptionBudget\.minAvailable is (2|51%), and the service may have only 2 pods: .* Lower it/,
    ]),
    [
      'a budget for more pods than the autoscaler keeps',
      plus(
        'services.hub.autoscaling.enabled=true',
        'services.hub.replicas=9',
        'services.hub.disruptionBudget.minAvailable=3',
      ),
      /minAvailable is 3, and the service may have only 2 pods/,
    ],
    ...['nats', 'redis'].map((server): [string, string[], RegExp] => [
      `another prefix in the trial server ${server}`,
      plus(`${server}.trial.enabled=true`, `settings.RELAY_${server.toUpperCase()}_PREFIX=staging`),
      new RegExp(
        `_PREFIX is staging, which the users of ${server}\\.trial may not use: .* Remove the setting`,
      ),
    ]),
    [
      'a label by which pods are found',
      plus('podLabels.app\\.kubernetes\\.io/name=relay'),
      /podLabels has app\.kubernetes\.io\/name, which the chart sets: .* Remove it/,
    ],
    [
      'a setting as a variable',
      plus('extraEnv[0].name=RELAY_RETENTION', 'extraEnv[0].value=90d'),
      /extraEnv has RELAY_RETENTION, which is a setting\. Put it into settings/,
    ],
    [
      'a budget that is a text',
      [...least, '--set-string', 'services.hub.disruptionBudget.minAvailable=1'],
      /minAvailable/,
    ],
    [
      'a pause that is as long as a shutdown may take',
      plus('shutdown.pauseSeconds=25'),
      /shutdown\.pauseSeconds is 25 and shutdown\.limitSeconds 25: .* Raise limitSeconds/,
    ],
    [
      'email that no port lets out',
      plus('settings.RELAY_EMAIL_FROM=relay@example.com'),
      /networkPolicy\.smtpPorts is empty although RELAY_EMAIL_FROM is set/,
    ],
    ...['containers', 'volumes', 'terminationGracePeriodSeconds'].map(
      (member): [string, string[], RegExp] => [
        `${member} in podSpec`,
        ['--set-json', `services.hub.podSpec={"${member}": []}`, ...plus()],
        new RegExp(`services[./]hub[./]podSpec[./]${member}`),
      ],
    ),
    ['a digest that is none', plus('services.hub.image.digest=sha256:12'), /digest.*does not match pattern/s],
    [
      'metrics that Prometheus may not read',
      plus('monitoring.podMonitor.enabled=true'),
      /networkPolicy\.metricsFrom is empty: Prometheus could not read the metrics\. Set it .*--set 'networkPolicy\.metricsFrom\[0\]/,
    ],
    ['an unknown value', plus('replicas=3'), /additional properties 'replicas' not allowed/],
    ...['gateway.replica', 'hub.replica', 'requests.drainSpreadSeconds'].map(
      (value): [string, string[], RegExp] => [
        `a value that a service does not have: ${value}`,
        plus(`services.${value}=3`),
        new RegExp(`services[./]${value.replace('.', "\\W.*additional properties '")}' not allowed`),
      ],
    ),
    [
      'an unknown setting',
      plus('settings.RELAY_RETENTIONS=1d'),
      /settings\.RELAY_RETENTIONS is read by no service\./,
    ],
    [
      'an unknown setting of one service',
      plus('services.hub.env.RELAY_HUB_RETRIES=1s'),
      /services\.hub\.env\.RELAY_HUB_RETRIES is not read by hub\./,
    ],
    [
      'a setting of another service',
      plus('services.hub.env.RELAY_RETENTION=1d'),
      /services\.hub\.env\.RELAY_RETENTION is not read by hub\./,
    ],
    ['a list as a setting', plus('settings.RELAY_CORS_ORIGINS={a,b}'), /RELAY_CORS_ORIGINS/],
    [
      'a proxy that is no address',
      plus('trustedProxies={ingress}'),
      /trustedProxies.*does not match pattern/s,
    ],
    [
      'a secret as a setting',
      plus('settings.RELAY_SESSION_SECRET=x'),
      /RELAY_SESSION_SECRET is a secret\. Put/,
    ],
    ...setByChart.map((name): [string, string[], RegExp] => [
      `${name}, which follows from other values`,
      plus(`settings.${name}=1`),
      new RegExp(`settings\\.${name} is set by the chart\\. Remove it`),
    ]),
    [
      'an address with a path',
      plus('publicUrl=https://a.example/relay'),
      /publicUrl.*does not match pattern/s,
    ],
    ['a number as text', plus('services.hub.replicas=two'), /replicas.*got string, want integer/s],
  ])('%s', async (_, args, message) => {
    expect(await refusalOf(...args)).toMatch(message);
  });

  withHelm('at the limit it is not refused', async () => {
    // With pools of 2, the smallest: four services with two pods each, the notifier with one, and in a rollout as many that end.
    const { length } = await render(plus('postgres.maxConnections=67'));
    expect(length).toBeGreaterThan(0);
    expect(await refusalOf(...plus('postgres.maxConnections=66'))).toContain('up to 67 connections');
    // Behind a pooler, only direct connections count: two services, four pods each, and the migration.
    const pooled = plus('postgres.external.pooler=true', 'postgres.maxConnections=10');
    expect(await refusalOf(...pooled)).toContain('up to 11 connections');
  });
});
