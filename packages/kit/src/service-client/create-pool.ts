import http, { type Agent, type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';

/** Kept-alive connections to one service. */
export interface ServicePool {
  /** Begins a call over a free kept-alive connection, or over a new one. `onNewConnection` requires a new one. */
  open(
    call: { method: string; path: string; headers: OutgoingHttpHeaders },
    options: { onNewConnection: boolean },
  ): ClientRequest;
  /** Closes the connections that are not in use, so that the next calls open new ones. */
  closeIdle(): void;
  close(): void;
}

/** Further calls wait until one of these is free. */
const maxConnections = 512;
/** Shorter than the 75 s for which a service keeps an idle connection, so that the service never closes it first. */
const maxIdleMs = 20_000;
/** Only new connections reach new instances of a service, so old ones are replaced. */
const maxAgeMs = 30_000;

export function createPool(address: string): ServicePool {
  const { protocol, hostname, port } = new URL(address);
  const { request, Agent } = protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: maxConnections, maxFreeSockets: 128 });
  limitConnectionAge(agent, { maxIdleMs, maxAgeMs });
  // Node wants an IPv6 address without its brackets.
  const host = hostname.replace(/^\[|\]$/g, '');

  return {
    open: ({ method, path, headers }, { onNewConnection }) =>
      request({ protocol, host, port, method, path, headers, agent: onNewConnection ? false : agent }),
    closeIdle() {
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    },
    close: () => agent.destroy(),
  };
}

/**
 * Closes a connection that was idle for `maxIdleMs`, or is older than `maxAgeMs` at the end of a call. The maximum ages
 * differ by up to a third, so that connections which were opened together are not closed together. This replaces Node's
 * own keepSocketAlive, which sets socket options after every call.
 */
export function limitConnectionAge(agent: Agent, limits: { maxIdleMs: number; maxAgeMs: number }): void {
  const closeTimes = new WeakMap<Socket, number>();

  agent.keepSocketAlive = (stream) => {
    const socket = stream as Socket;
    const now = performance.now();
    let closeTime = closeTimes.get(socket);
    if (closeTime === undefined) {
      closeTime = now + limits.maxAgeMs * (1 - Math.random() / 3);
      closeTimes.set(socket, closeTime);
      // Node closes sockets that time out while they are unused.
      socket.setTimeout(limits.maxIdleMs);
    }
    socket.unref();
    return now < closeTime;
  };
}
