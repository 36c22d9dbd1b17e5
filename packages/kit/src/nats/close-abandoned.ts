import { createConnection } from 'node:net';
import { NodeTransport } from 'nats/lib/src/node_transport.js';

const { close } = NodeTransport.prototype;

/**
 * nats.js leaves the socket open of an attempt to connect that is not answered in time. A service would keep one for each attempt while
 * NATS hangs, until it can open no more. So its transport knows its socket before that is connected, and closes it in any case.
 */
export function closeAbandonedSockets(): void {
  NodeTransport.prototype.dial = function dialKnown({ hostname, port }) {
    const socket = createConnection(port, hostname);
    this.socket = socket;
    socket.setNoDelay(true);
    return new Promise((resolve, reject) => {
      let failure: Error | undefined;
      socket.on('error', (error) => {
        failure = error;
      });
      socket.on('close', () => reject(failure));
      socket.on('connect', () => {
        socket.removeAllListeners();
        resolve(socket);
      });
    });
  };
  NodeTransport.prototype.close = function closeWithSocket(error) {
    if (!this.connected) this.socket?.destroy();
    return close.call(this, error);
  };
}
