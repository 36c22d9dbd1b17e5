import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, type Metrics } from '../metrics/index.ts';
import { createProxyCheck, networkOf, plainAddress, siteOf } from './client-address.ts';
import { KeyedCounter } from './keyed-counter.ts';

export interface ConnectionLimit {
  /** Open connections of one client address (IPv6: of one /64), at most; 0 = no limit. A /48 may have four times as many. */
  readonly perAddress: number;
  /** Open connections of all addresses, at most; no limit when not set. */
  readonly total?: number;
  /** Addresses or CIDRs without a limit: a proxy connects on behalf of many clients. */
  readonly trustedProxies: readonly string[];
  readonly metrics: Metrics;
}

/** A site may have as many connections as this number of clients. */
const clientsPerSite = 4;

/** Closes a new connection before a byte of it is read, when its address has too many open. */
export function limitConnections(server: Server, options: ConnectionLimit): void {
  const { perAddress, total, trustedProxies, metrics } = options;
  const refused = new Counter({
    name: 'relay_http_connections_refused_total',
    help: 'Connections that were closed at once because too many were open, of their address or of all.',
    registers: [metrics],
  });
  if (total !== undefined) server.maxConnections = total;
  server.on('drop', () => refused.inc());
  if (perAddress === 0) return;
  const isTrustedProxy = createProxyCheck(trustedProxies);
  const open = new KeyedCounter();

  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isTrustedProxy(address)) return;
    const limits: [network: string, limit: number][] = [[networkOf(address), perAddress]];
    const site = siteOf(address);
    if (site !== undefined) limits.push([site, perAddress * clientsPerSite]);
    if (limits.some(([network, limit]) => open.of(network) >= limit)) {
      refused.inc();
      socket.destroy();
      return;
    }
    for (const [network] of limits) open.add(network, 1);
    socket.once('close', () => {
      for (const [network] of limits) open.add(network, -1);
    });
  });
}
