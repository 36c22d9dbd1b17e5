import http, { type Agent, type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';

/** Kept-alive connections to one service. */
export interface ServicePool {
  /** Begins a call; `fresh` opens a new connection for it. */
  open(call: { method: string; path: string; headers: OutgoingHttpHeaders }, fresh: boolean): ClientRequest;
  close(): void;
}

/**
 * In milliseconds. A connection is idle for less than a service's own 75 s, so that the service never closes an idle
 * connection first. None lives longer than 30 s, so that new instances of a service get their share of calls.
 */
const defaultTimes = { idle: 20_000, life: 30_000 };

export function createPool(address: string, times = defaultTimes): ServicePool {
  const { protocol, hostname, port } = new URL(address);
  const { request, Agent } = protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 512, maxFreeSockets: 128 });
  keepSockets(agent, times);
  // Node wants an IPv6 address without its brackets.
  const host = hostname.replace(/^\[|\]$/g, '');

  return {
    open: ({ method, path, headers }, fresh) =>
      request({ protocol, host, port, method, path, headers, agent: fresh ? false : agent }),
    close: () => agent.destroy(),
  };
}

/**
 * Keeps connections for at most `idle` without a call and for at most `life` in all. The lives differ by up to a third,
 * so that connections which were opened together are not closed together. It replaces Node's own keepSocketAlive, which
 * sets socket options after every call.
 */
export function keepSockets(agent: Agent, { idle, life }: { idle: number; life: number }): void {
  const ends = new WeakMap<Socket, number>();

  agent.keepSocketAlive = (stream) => {
    const socket = stream as Socket;
    const now = performance.now();
    let end = ends.get(socket);
    if (end === undefined) {
      end = now + life * (1 - Math.random() / 3);
      ends.set(socket, end);
      // Node closes sockets that time out while they are unused.
      socket.setTimeout(idle);
    }
    socket.unref();
    return now < end;
  };
}
