import { permissionsFor } from '@expert-relay/contracts';
import { variables as clients } from '../../packages/cli/src/config.ts';
import { collectSettings, type Setting } from './settings.ts';

/** docs/configuration.md, from the declarations that the services read at their start. */
export function renderConfiguration(): string {
  return `# Configuration

<!-- Made by \`npm run docs\` from the declarations in services/*/src/config.ts. Do not edit. -->

Every service reads its settings from the environment, once, at its start. A bad value stops the start
with a sentence that names the variable and what is allowed. Secrets are never printed. Durations carry a
unit: \`500ms\`, \`15s\`, \`5m\`, \`72h\`, \`30d\`. \`charts/expert-relay/settings.json\` says for programs which service
reads which setting, and which are secret.

${[...collectSettings().values()].map(render).join('\n')}
${renderNatsPermissions()}
## The local run

| Variable | Default | Meaning |
|---|---|---|
${Object.entries(localRun)
  .map(([name, [fallback, meaning]]) => `| \`${name}\` | \`${fallback}\` | ${meaning} |`)
  .join('\n')}

Every other \`RELAY_*\` variable that is set when \`npm start\` is called reaches the services, except
\`RELAY_HOST\` and \`RELAY_OPS_PORT\`: it listens on 127.0.0.1 only, and takes free ports for \`/readyz\` and \`/metrics\`
(\`opsUrls\` in \`dev.json\`). It switches off the limits on calls, connections and streams of one address unless they are
set: everything comes from one address there.
`;
}

/** Variables of `npm start` itself: their defaults and meanings. */
const localRun = {
  RELAY_HOME: ['.relay', 'where `npm start` keeps data, logs, secrets and `dev.json`'],
  RELAY_CACHE: ['~/.cache/expert-relay', 'where downloaded servers are kept, for all checkouts'],
  RELAY_PATH_ONLY: [
    'false',
    '`true`: servers are searched on PATH, and not in the folders where systems put them',
  ],
  RELAY_PORT: ['8080', 'the port of the gateway; when it is not set and taken, the next free one'],
  RELAY_HUB_PORT: ['8090', 'the same for the hub'],
} as const;

/** packages/kit/src/config/known-settings.ts, by which every service recognises a misspelt name. */
export function renderKnownSettings(): string {
  const names = [...collectSettings().keys(), ...Object.keys(localRun), ...Object.keys(clients)];
  const ours = [...new Set(names)].filter((name) => name.startsWith('RELAY_')).sort();
  return `// Made by \`npm run docs\` from all config.ts. Do not edit.

/** Every variable that a service, \`npm start\` or a client reads. */
export const knownSettings: readonly string[] = [
${ours.map((name) => `  '${name}',`).join('\n')}
];
`;
}

function render({ variable, readers }: Setting): string {
  const defaults = [...readers].map(([reader, { fallback }]) => ({ reader, text: showDefault(fallback) }));
  const distinct = new Set(defaults.map(({ text }) => text));
  const fallback =
    distinct.size === 1
      ? [...distinct].join('')
      : defaults.map(({ reader, text }) => `${text} (${reader})`).join(', ');
  return `## \`${variable.name}\`

${variable.help}

- Must be ${variable.expected}.
- Default: ${fallback}.
- Secret: ${variable.secret ? 'yes' : 'no'}.
- Read by: ${[...readers.keys()].join(', ')}.
`;
}

function showDefault(fallback: string | undefined): string {
  if (fallback === undefined) return 'required';
  return fallback === '' ? 'not set' : `\`${fallback}\``;
}

/** The permissions of each service, for a NATS in which each has a user of its own. */
function renderNatsPermissions(): string {
  const rows = Object.entries(permissionsFor('relay')).map(
    ([service, { publish, subscribe }]) => `| ${service} | ${cell(publish)} | ${cell(subscribe)} |`,
  );
  return `## What NATS must allow

A service whose NATS has users needs these subjects and no others. They begin with \`RELAY_NATS_PREFIX\`, here
\`relay\`, after which the stream is named. In a server's configuration an empty list is \`deny: ">"\`.

| Service | Publish | Subscribe |
|---|---|---|
${rows.join('\n')}

requests and messages wake the outbox publisher, and each of their processes may lead it: so they publish every event,
receive its acknowledgement, and make and adjust the stream. \`scripts/servers/nats-permissions.test.ts\` runs the product
with exactly these.
`;
}

const cell = (subjects: readonly string[]): string =>
  subjects.length === 0 ? 'nothing' : subjects.map((subject) => `\`${subject}\``).join(', ');
