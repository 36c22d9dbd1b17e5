import type { Permissions } from '@expert-relay/contracts';
import { readAccess } from '../../packages/kit/src/nats/read-access.ts';
import type { ServerKind } from './server-kind.ts';

export const nats: ServerKind = {
  name: 'nats',
  title: 'NATS',
  minimum: '2.9',
  variable: 'NATS_URL',
  example: 'nats://127.0.0.1:4222',
  protocols: ['nats:', 'tls:'],
  programs: ['nats-server'],
  // Debian puts it where only root's PATH leads.
  folders: ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/opt/local/bin'],
  debian: 'nats-server',
  homebrew: 'nats-server',
  stopSignal: 'SIGTERM',
  probe: probeNats,
  greeting: { ask: '', ready: /^INFO .*"jetstream":true/ },
  url: ({ port }) => `nats://127.0.0.1:${port}`,

  runProgram({ data, port }, { path }) {
    const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', data];
    return { command: path, args };
  },

  container: {
    image: 'nats:2.11-alpine',
    port: 4222,
    dataFolder: '/data',
    command: () => ['--jetstream', '--store_dir=/data'],
  },
};

/** The permissions of a user in the server's configuration. An empty list would allow everything. */
export function renderPermissions({ publish, subscribe }: Permissions): string {
  const rule = (subjects: readonly string[]) =>
    subjects.length === 0 ? '{ deny: [">"] }' : `{ allow: ${JSON.stringify(subjects)} }`;
  return `{ publish: ${rule(publish)}, subscribe: ${rule(subscribe)} }`;
}

/** Signs in as the services do, and returns the version that NATS greets with. */
async function probeNats(url: URL): Promise<string> {
  const { connect } = await import('nats');
  const connection = await connect({ ...readAccess({ url: url.href }), reconnect: false, timeout: 8_000 });
  const { version = 'unknown', jetstream = false } = connection.info ?? {};
  await connection.close();
  if (!jetstream) throw new Error('its JetStream is off (start nats-server with -js)');
  return version;
}
