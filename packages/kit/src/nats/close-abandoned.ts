import { NodeTransport } from 'nats/lib/src/node_transport.js';

const { close, dial } = NodeTransport.prototype;
const abandoned = new WeakSet<NodeTransport>();

/**
 * nats.js leaves the socket open of an attempt to connect that is not answered in time. A service would keep one for each attempt while
 * NATS hangs, until it can open no more.
 */
export function closeAbandonedSockets(): void {
  NodeTransport.prototype.close = function closeWithSocket(error) {
    if (!this.connected) {
      abandoned.add(this);
      this.socket?.destroy();
    }
    return close.call(this, error);
  };
  NodeTransport.prototype.dial = async function dialUnlessAbandoned(address) {
    const socket = await dial.call(this, address);
    if (abandoned.has(this)) socket.destroy();
    return socket;
  };
}
