import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isRead } from './is-read.ts';

/** For how many intervals a call may go on without an answer. */
const patienceOf = ({ req }: ServerResponse): number => (isRead(req.method) ? 1 : 30);

/**
 * Answers clients that end their side of the connection after their last request, as `nc -N` does, and closes the connection after
 * the last answer. Without this, Node closes it at once, and a call takes effect without an answer.
 *
 * A client that has closed its connection looks the same. What it wanted to read should not go on being searched for, and what it
 * wanted to change should not occupy a place for ever: so a call whose answer does not begin in time is cancelled.
 */
export function answerHalfClosed(
  server: Server,
  handler: RequestListener,
  intervalMs: number,
): RequestListener {
  // Node does not document it. Each version that is supported has it.
  Object.assign(server, { httpAllowHalfOpen: true });
  const running = new WeakMap<Duplex, ServerResponse>();

  server.on('connection', (socket: Duplex) => {
    socket.once('end', () => {
      let seen = running.get(socket);
      let waited = 0;
      let tickedAt = performance.now();
      const timer = setInterval(() => {
        const response = running.get(socket);
        const now = performance.now();
        // While the process stood still, no answer could begin.
        if (now - tickedAt < 2 * intervalMs) waited += 1;
        if (response !== seen) waited = 0;
        if (response && !response.headersSent && waited >= patienceOf(response)) socket.destroy();
        tickedAt = now;
        seen = response;
      }, intervalMs);
      socket.once('close', () => clearInterval(timer));
    });
  });

  return (request, response) => {
    const { socket } = request;
    running.set(socket, response);
    response.once('close', () => {
      if (running.get(socket) === response) running.delete(socket);
    });
    handler(request, response);
  };
}
