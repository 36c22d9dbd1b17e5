import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Variable } from '@expert-relay/kit/config';
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { collectSettings } from '../docs/settings.ts';
import { root } from '../local/home.ts';
import { serviceNames } from '../local/services.ts';

type Schema = Record<string, unknown>;

/** A key with its comment, and what it has. */
type Entry = { key: { value: string; commentBefore?: string }; value: YAMLMap };

interface Value {
  path: string;
  help: string;
  fallback: unknown;
}

const quantity = { type: 'string', pattern: '^[0-9.]+([KMGTPE]i?)?$' };
const count = { type: 'integer', minimum: 1 };
/** A number of pods, or a share of them. */
const pods = { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,2}%$|^100%$' };
const texts = { type: 'object', additionalProperties: { type: 'string' } };

const byte = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = `${byte}(\\.${byte}){3}`;
const ipv6 = '([0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]{0,15}';

const templates = readFileSync(join(root, 'charts/expert-relay/templates/_environment.tpl'), 'utf8');
const [, chartSettings = ''] = templates.split('define "relay.chartSettings"');
/** What the chart sets from other values, apart from the size of the pool: the manifests depend on it. */
const setByChart = [...chartSettings.matchAll(/^(RELAY_\w+):/gm)]
  .map(([, name]) => name ?? '')
  .filter((name) => name !== 'RELAY_DATABASE_POOL')
  .concat(serviceNames.map((name) => `RELAY_${name.toUpperCase()}_URL`))
  // They are fixed.
  .concat([
    'RELAY_HOST',
    'RELAY_PORT',
    'RELAY_OPS_PORT',
    'RELAY_NATS_CA_FILE',
    'RELAY_WEB_FOLDER',
    'RELAY_DEV_LOGIN',
  ]);

/** Groups that several services or servers share. */
const definitions: Schema = {
  autoscaling: closed({
    enabled: { type: 'boolean' },
    minReplicas: count,
    maxReplicas: count,
    targetCPU: count,
    streamsPerPod: { type: 'integer', minimum: 0 },
  }),
  trial: closed({
    enabled: { type: 'boolean' },
    image: { type: 'string' },
    storage: quantity,
    storageClass: { type: 'string' },
    resources: { type: 'object' },
  }),
  service: closed({
    type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
    externalTrafficPolicy: { enum: ['', 'Local', 'Cluster'] },
    annotations: texts,
  }),
  address: {
    type: 'string',
    pattern: `^(${ipv4}(/(3[0-2]|[12]?\\d))?|${ipv6}(/(12[0-8]|1[01]\\d|[1-9]?\\d))?)$`,
  },
  // What may be left out of 0.0.0.0/0 and 2000::/3.
  publicNetwork: {
    type: 'string',
    pattern: `^(${ipv4}/(3[0-2]|[12]\\d|[1-9])|[23][0-9A-Fa-f]{0,3}:[0-9A-Fa-f:]*/(12[0-8]|1[01]\\d|[1-9]\\d|[4-9]))$`,
  },
  // Kubernetes takes one of the two members: see templates/_checks.tpl.
  disruptionBudget: {
    type: ['object', 'null'],
    properties: { minAvailable: pods, maxUnavailable: pods },
    additionalProperties: false,
  },
  image: closed({ digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' } }),
};

/** values.schema.json and the table of README.md, from the comments of values.yaml. */
export function describeValues(text: string): { schema: string; table: string } {
  const values: Value[] = [];
  const root = parseDocument(text).contents as YAMLMap;
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'Made by `npm run docs` from values.yaml. Do not edit.',
    ...schemaOfMap(root, '', values),
    $defs: definitions,
  };
  const rows = values.map(
    ({ path, help, fallback }) => `| \`${path}\` | \`${JSON.stringify(fallback)}\` | ${help} |`,
  );
  const table = ['| Value | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
  return { schema: `${JSON.stringify(schema, null, 2)}\n`, table };
}

function schemaOfMap(map: YAMLMap, path: string, values: Value[]): Schema {
  const properties: Record<string, Schema> = {};
  for (const pair of map.items as Entry[]) {
    const { value: name } = pair.key;
    // The comment of a map's first key belongs to the map.
    const comment = pair.key.commentBefore ?? (pair === map.items[0] ? map.commentBefore : undefined) ?? '';
    properties[name] = schemaOf(pair.value, path ? `${path}.${name}` : name, comment, values);
  }
  // Umbrella charts hand `global` to every chart.
  return closed(path ? properties : { ...properties, global: { type: 'object' } });
}

function schemaOf(node: YAMLMap, path: string, comment: string, values: Value[]): Schema {
  const help = /^ -- (.*)$/m.exec(comment)?.[1];
  if (help === undefined) {
    if (isMap(node)) return schemaOfMap(node, path, values);
    throw new Error(`values.yaml: ${path} has no comment that begins with "# --". Explain it there.`);
  }
  const added = JSON.parse(/^ @schema (.*)$/m.exec(comment)?.[1] ?? '{}') as Schema;
  values.push({ path, help, fallback: node.toJSON() });
  if (added.$ref) return added;
  return { ...settingsAt(path), ...typeOf(node, path), description: help, ...added };
}

function typeOf(node: YAMLMap, path: string): Schema {
  const value: unknown = node.toJSON();
  // Kubernetes refuses numbers here, after it has accepted the objects before.
  if (/(annotations|labels|nodeSelector)$/i.test(path)) return texts;
  if (Array.isArray(value)) return { type: 'array' };
  if (isScalar(node) && Number.isInteger(value)) return { type: 'integer' };
  return { type: typeof value };
}

/** A misspelt setting is refused, and so is a secret. */
function settingsAt(path: string): Schema {
  const service = /^services\.(.+)\.env$/.exec(path)?.[1];
  if (path !== 'settings' && service === undefined) return {};
  const known = [...collectSettings()].filter(([name, { variable, readers }]) => {
    const isRead = service === undefined || readers.has(service);
    return isRead && !variable.secret && !setByChart.includes(name);
  });
  const schemas = known.map(([name, { variable }]) => [name, schemaOfSetting(variable)]);
  const { properties, additionalProperties } = closed(Object.fromEntries(schemas));
  return { properties, additionalProperties };
}

/** A wrong value is refused before it is installed. In YAML it may also be a number or a boolean. */
function schemaOfSetting({ expected, schema }: Variable<unknown>): Schema {
  const { pattern, enum: options } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { minimum, maximum } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  const isText = pattern !== undefined && !new RegExp(pattern).test('90');
  const booleans = options?.includes('true') ? [true, false] : [];
  return {
    type: isText ? 'string' : ['string', 'number', 'boolean'],
    description: expected,
    ...(pattern && { pattern }),
    ...(!isText && minimum !== undefined && { minimum }),
    ...(!isText && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    ...(options && { enum: [...options, ...booleans] }),
  };
}

function closed(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties, additionalProperties: false };
}
