import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** After the end of the client's side, an answer to a call that only reads must begin within one to two of these. */
const defaultIntervalMs = 500;

const readingMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/**
 * Answers clients that end their side of the connection after their last request, as `nc -N` does, and closes the connection after
 * the last answer. Without this, Node closes it at once, and a call takes effect without an answer.
 *
 * A client that has closed its connection looks the same. What it wanted to read should not go on being searched for, so a reading
 * call whose answer does not begin soon is cancelled.
 */
export function answerHalfClosed(
  server: Server,
  handler: RequestListener,
  intervalMs = defaultIntervalMs,
): RequestListener {
  // Node does not document it. Each version that is supported has it.
  Object.assign(server, { httpAllowHalfOpen: true });
  const running = new WeakMap<Duplex, ServerResponse>();

  server.on('connection', (socket: Duplex) => {
    socket.once('end', () => {
      let seen = running.get(socket);
      const timer = setInterval(() => {
        const response = running.get(socket);
        const isCancelled = response && !response.headersSent && readingMethods.has(response.req.method);
        if (isCancelled && response === seen) socket.destroy();
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
