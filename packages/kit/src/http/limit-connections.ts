import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Counter, type Metrics } from '../metrics/index.ts';
import { createProxyCheck, networkOf, plainAddress } from './client-address.ts';
import { KeyedCounter } from './keyed-counter.ts';

export interface ConnectionLimit {
  /** Open connections of one client address (IPv6: of one /64), at most; 0 = no limit. */
  readonly perAddress: number;
  /** Open connections of all addresses, at most. */
  readonly total: number;
  /** Addresses or CIDRs without a limit of their own: a proxy connects on behalf of many clients. */
  readonly trustedProxies: readonly string[];
  readonly metrics: Metrics;
}

const limits = ['address', 'total'] as const;

/**
 * Closes a new connection before a byte of it is read, when its address has too many open. When all addresses together have too
 * many, the new one is served, and the connection on which nothing has happened for longest is reset: no request has arrived, and
 * no response was read by the client or has ended.
 */
export function limitConnections(server: Server, options: ConnectionLimit): void {
  const { perAddress, total, trustedProxies, metrics } = options;
  const closed = new Counter({
    name: 'relay_http_connections_closed_total',
    help: 'Connections that were closed because too many were open: new ones of an address, or idle ones of all.',
    labelNames: ['limit'],
    registers: [metrics],
  });
  for (const limit of limits) closed.inc({ limit }, 0);
  const isTrustedProxy = createProxyCheck(trustedProxies);
  const byNetwork = new KeyedCounter();
  /** The connection on which nothing has happened for longest is the first. Streams of the hub are not among them. */
  const byActivity = new Set<Duplex>();

  function isRefused(socket: Socket): boolean {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (perAddress === 0 || isTrustedProxy(address)) return false;
    const network = networkOf(address);
    if (byNetwork.of(network) >= perAddress) return true;
    byNetwork.add(network, 1);
    socket.once('close', () => byNetwork.add(network, -1));
    return false;
  }

  function renew(socket: Duplex): void {
    if (byActivity.delete(socket)) byActivity.add(socket);
  }

  function evictBeyondTotal(_error: Error | null, open: number): void {
    const [idlest] = byActivity;
    if (open <= total || !idlest) return;
    closed.inc({ limit: 'total' });
    // Without a reset, the kernel would keep megabytes that its client does not read.
    if (idlest instanceof Socket) idlest.resetAndDestroy();
    else idlest.destroy();
    byActivity.delete(idlest);
  }

  server.on('connection', (socket: Socket) => {
    if (isRefused(socket)) {
      closed.inc({ limit: 'address' });
      socket.destroy();
      return;
    }
    byActivity.add(socket);
    socket.once('close', () => byActivity.delete(socket));
    server.getConnections(evictBeyondTotal);
  });
  server.on('request', ({ socket }, response) => {
    const renewConnection = () => renew(socket);
    renewConnection();
    response.on('drain', renewConnection).once('close', renewConnection);
  });
}
