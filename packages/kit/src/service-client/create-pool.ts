import http, { type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { keepSockets } from './keep-sockets.ts';

/** Kept-alive connections to one service. */
export interface ServicePool {
  /** Begins a call; `fresh` takes a connection that nobody used before. */
  open(call: { method: string; path: string; headers: OutgoingHttpHeaders }, fresh: boolean): ClientRequest;
  close(): void;
}

/**
 * Idle for less than a service's own 75 s, so that it is never the service who ends an idle connection; and
 * none so old that instances which came later would go without their share.
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
