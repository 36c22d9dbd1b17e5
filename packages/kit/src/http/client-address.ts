import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../config/index.ts';
import type { Log } from '../log/index.ts';

/** The address of the client of a call, in its plain form: `192.0.2.7` or `2001:db8::7`. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Accepts `X-Forwarded-For` from trusted proxies only. The client is the last address in it that is not a trusted proxy;
 * the addresses before that one are chosen by the client.
 */
export function createClientAddress(options: {
  /** Addresses or CIDRs. */
  trustedProxies: readonly string[];
  log: Log;
}): ClientAddress {
  const isTrusted = createProxyCheck(options.trustedProxies);
  let warned = false;

  return (request) => {
    let client = plainAddress(request.socket.remoteAddress ?? '');
    const forwarded = request.headers['x-forwarded-for'];
    if (forwarded === undefined) return client;
    if (!isTrusted(client)) {
      if (!warned) {
        warned = true;
        options.log.warn(
          { address: client },
          'X-Forwarded-For from an address that is not a trusted proxy is ignored. ' +
            'If this is your proxy, add it to RELAY_TRUSTED_PROXIES.',
        );
      }
      return client;
    }
    for (const hop of String(forwarded).split(',').reverse()) {
      const address = plainAddress(hop.trim());
      if (isIP(address) === 0) break;
      client = address;
      if (!isTrusted(address)) break;
    }
    return client;
  };
}

/** Whether an address in its plain form is a trusted proxy. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const ranges = trustedProxies.map(parseRange);

  return (text) => {
    if (ranges.length === 0 || isIP(text) === 0) return false;
    const address = ipaddr.parse(text);
    return ranges.some(
      ([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix),
    );
  };
}

/**
 * The network that limits count as one client: an IPv4 address, or the /64 of an IPv6 address. A client with several
 * networks counts once for each; totals bound all of them together.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** Some proxies add a port. */
const withPort = /^(?:\[(?<six>[^\]]+)\](?::\d+)?|(?<four>[^:]+):\d+)$/;

/**
 * An address without its port and zone. IPv4 over an IPv6 socket becomes IPv4. Other text is returned unchanged. `isIP`
 * checks it first, since ipaddr.js accepts other forms of IPv4 too, such as `010.1`.
 */
export function plainAddress(text: string): string {
  if (isIP(text) === 4) return text;
  const { six, four } = withPort.exec(text)?.groups ?? {};
  const [address = ''] = (six ?? four ?? text).split('%');
  return isIP(address) === 6 ? ipaddr.process(address).toString() : address;
}

function parseRange(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address = '', prefix] = entry.split('/');
  try {
    if (isIP(address) === 0) throw new Error('not an address');
    return ipaddr.parseCIDR(prefix === undefined ? `${address}/${isIP(address) === 6 ? 128 : 32}` : entry);
  } catch {
    throw new ConfigError([
      `RELAY_TRUSTED_PROXIES contains ${JSON.stringify(entry)}. Each entry must be an address or a CIDR, such as 10.42.5.0/28.`,
    ]);
  }
}
