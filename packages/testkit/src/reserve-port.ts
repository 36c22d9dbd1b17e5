import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Each of Jest's workers has a range of its own: two must not reserve the same port at the same moment. */
const count = 1_500;
const first = 20_000 + (Number(process.env.JEST_WORKER_ID ?? 0) % 8) * count;

/**
 * A port for the one service whose address others must know before it listens. Below those that systems give out
 * by themselves: there, any connection of any process might take it in the meantime.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = first + randomInt(count);
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
