import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Each Jest worker has its own range, since two workers must not reserve the same port at the same time. */
const count = 1_250;
const first = 10_000 + (Number(process.env.JEST_WORKER_ID ?? 0) % 8) * count;
let next = randomInt(count);

/**
 * A free port for a service whose address others must know before it listens. It is below the ports that `npm start`
 * chooses from and below the ephemeral ones, which any connection of any process could take before the service listens.
 * Calls return the ports of the range in turn, so that several services that have not started yet never share one.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = first + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
