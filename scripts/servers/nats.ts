import { converse } from './conversation.ts';
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
  debianPackage: 'nats-server',
  homebrew: 'nats-server',
  image: 'nats:2.11-alpine',
  dockerByHand: 'docker run -d -p 127.0.0.1:4222:4222 nats:2.11-alpine -js',
  stopSignal: 'SIGTERM',
  probe: probeNats,
  url: ({ port }) => `nats://127.0.0.1:${port}`,

  async runProgram({ data, port }, { path }) {
    const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', data];
    return { command: path, args };
  },

  runImage: ({ data, port }) => ({
    options: [`--publish=127.0.0.1:${port}:4222`, `--mount=type=bind,source=${data},target=/data`],
    command: ['--jetstream', '--store_dir=/data'],
  }),
};

interface Info {
  version: string;
  jetstream?: boolean;
  tls_required?: boolean;
}

/** Signs in as the address says; NATS greets with its version and whether it has JetStream. */
async function probeNats(url: URL): Promise<string> {
  const nats = await converse(url, { port: 4222, tls: false, within: 8_000 });
  try {
    const greeting = await nats.until(/\r\n/);
    const info = readInfo(greeting);
    if (!info) throw new Error('something else than NATS answers there');
    if (info.tls_required || url.protocol === 'tls:') await nats.secure();
    nats.send(
      `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, ...credentials(url) })}\r\nPING\r\n`,
    );
    const answer = await nats.until(/PONG\r\n|-ERR.*\r\n/);
    const refusal = /-ERR '(.*)'/.exec(answer)?.[1];
    if (refusal) throw new Error(refusal.toLowerCase());
    if (!info.jetstream) throw new Error('its JetStream is off (start nats-server with -js)');
    return info.version;
  } finally {
    nats.close();
  }
}

function readInfo(greeting: string): Info | undefined {
  const json = /^INFO (\{.*\})/.exec(greeting)?.[1];
  return json ? (JSON.parse(json) as Info) : undefined;
}

function credentials(url: URL): Record<string, string> {
  const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  if (password) return { user, pass: password };
  return user ? { auth_token: user } : {};
}
