import { probeNats } from './probe-nats.ts';
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
