import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes the connections on which nothing was ever sent: browsers and Node's own fetch open some ahead of calls
 * that may never come, and Node counts them neither as idle nor as busy.
 */
export function closeUnused(server: Server): () => void {
  const unused = new Set<Socket>();
  function forget(this: Socket): void {
    unused.delete(this);
  }
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', forget);
  });
  server.on('request', ({ socket }) => {
    if (unused.delete(socket)) socket.off('close', forget);
  });
  return () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  };
}
