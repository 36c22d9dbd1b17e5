import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { launchOwnServer, type OwnServer } from './launch-own-server.ts';
import { testProgram } from './test-program.ts';

export interface OwnNats extends OwnServer {
  readonly url: string;
  readonly host: string;
}

/** A NATS server of a test's own, with JetStream or with a configuration of the test. */
export async function startOwnNats(config?: string): Promise<OwnNats> {
  const { path: command, env } = testProgram('nats-server');
  let host = '';
  const server = await launchOwnServer('nats', ({ folder, data, port }) => {
    host = `127.0.0.1:${port}`;
    const file = join(folder, 'nats.conf');
    if (config !== undefined) writeFileSync(file, config);
    const own = config === undefined ? ['--jetstream', '--store_dir', data] : ['--config', file];
    const args = ['--addr', '127.0.0.1', '--port', String(port), ...own];
    return { command, args, env, isReady: () => greets(port) };
  });
  return Object.assign(server, { host, url: `nats://${host}` });
}

/** Whether a server sends something to a new connection, as NATS does at once. */
function greets(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const response = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
  });
  return response.finally(() => socket.destroy());
}
