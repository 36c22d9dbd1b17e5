import http, { type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { UpstreamName } from '../edge-route.ts';
import { keepSockets } from './keep-sockets.ts';

/** A service behind the edge, over a pool of kept-alive connections. */
export interface Upstream {
  readonly name: UpstreamName;
  /** Begins a call; `fresh` takes a connection that nobody used before. */
  open(call: { method: string; path: string; headers: OutgoingHttpHeaders }, fresh: boolean): ClientRequest;
  /** Whether anything answers there. */
  answers(): Promise<boolean>;
  close(): void;
}

const probeLimit = 1_500;

export function createUpstream(name: UpstreamName, address: string): Upstream {
  const { protocol, hostname, port } = new URL(address);
  const { request, Agent } = protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 512, maxFreeSockets: 128 });
  // Idle for less than the upstream's 75 s, so that it is never the upstream who ends an idle connection.
  keepSockets(agent, { idle: 20_000, life: 30_000 });
  // Node wants an IPv6 address without its brackets.
  const host = hostname.replace(/^\[|\]$/g, '');
  const open: Upstream['open'] = ({ method, path, headers }, fresh) =>
    request({ protocol, host, port, method, path, headers, agent: fresh ? false : agent });

  return {
    name,
    open,
    answers() {
      return new Promise((resolve) => {
        const probe = open({ method: 'HEAD', path: '/', headers: {} }, false);
        const timer = setTimeout(() => probe.destroy(), probeLimit);
        probe.once('response', (answer) => {
          answer.resume();
          resolve(true);
        });
        probe.once('error', () => {});
        probe.once('close', () => {
          clearTimeout(timer);
          resolve(false);
        });
        probe.end();
      });
    },
    close() {
      agent.destroy();
    },
  };
}
