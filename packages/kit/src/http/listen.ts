import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../lifecycle/startup-error.ts';

/**
 * How many connections may wait to be accepted. Node asks for 511: of a thousand readers that reconnect in one moment
 * the rest would try again after a second, after three, after seven. The system has a limit of its own besides.
 */
const backlog = 4_096;

/** Listens and gives the address under which this machine reaches the server. */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new StartupError(`Cannot listen on ${host}:${port}: ${explain(error)}`)),
    );
    server.listen({ port, host, backlog }, () => {
      server.removeAllListeners('error');
      const address = server.address() as AddressInfo;
      const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
      resolve(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${address.port}`);
    });
  });
}

function explain(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'another process uses this port. Stop it, or set another port.';
  if (error.code === 'EACCES') return 'this user may not use this port. Choose one above 1023.';
  return error.message;
}
