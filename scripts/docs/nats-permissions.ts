import { permissionsFor } from '@expert-relay/contracts';

/** What each service must be allowed in NATS, for whoever gives each a user of its own. */
export function renderNatsPermissions(): string {
  const rows = Object.entries(permissionsFor('relay')).map(
    ([service, { publish, subscribe }]) => `| ${service} | ${cell(publish)} | ${cell(subscribe)} |`,
  );
  return `## What NATS must allow

A service whose NATS has users needs these subjects and no others. They begin with \`RELAY_NATS_PREFIX\`, here
\`relay\`, after which the stream is named. In a server's configuration an empty list is \`deny: ">"\`.

| Service | Publish | Subscribe |
|---|---|---|
${rows.join('\n')}

requests and messages wake the outbox relay, and each of their processes may lead it: so they publish every event,
receive its acknowledgement, and make and adjust the stream. \`test/e2e/nats-permissions.test.ts\` runs the product with
exactly these.
`;
}

const cell = (subjects: readonly string[]): string =>
  subjects.length === 0 ? 'nothing' : subjects.map((subject) => `\`${subject}\``).join(', ');
