import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ConfigError } from '../config/index.ts';
import type { Log } from '../log/index.ts';

/** The address of whoever made a call, as plain text: `192.0.2.7` or `2001:db8::7`. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Believes `X-Forwarded-For` from trusted proxies only, and of it only what they themselves have seen:
 * the last address that is none of theirs.
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
          'X-Forwarded-For from an address that is no trusted proxy is ignored. ' +
            'If this is your proxy, name it in RELAY_TRUSTED_PROXIES.',
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

/** Whether an address, in its plain form, is one of the trusted proxies. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = toBlockList(trustedProxies);
  return (address) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** What counts as one client: an IPv4 address, or the /64 (or a wider network) that an IPv6 address is in. */
export function networkOf(address: string, prefix: 48 | 64 = 64): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  // A dotted IPv4 at the end stands for two groups.
  const length = before.length + after.length + (address.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? [] : new Array<string>(8 - length).fill('0');
  const network = [...before, ...zeros, ...after].slice(0, prefix / 16);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/${prefix}`;
}

// As some proxies write it.
const withPort = /^(?:\[(?<six>[^\]]+)\](?::\d+)?|(?<four>[^:]+):\d+)$/;

/** IPv4 that arrived over an IPv6 socket, and addresses with a zone or a port, in their plain form. */
export function plainAddress(address: string): string {
  const { six, four } = withPort.exec(address)?.groups ?? {};
  const [withoutZone = ''] = (six ?? four ?? address).split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone);
  return mapped?.[1] ?? withoutZone;
}

function toBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    try {
      if (prefix === undefined) list.addAddress(address, family);
      else list.addSubnet(address, Number(prefix), family);
    } catch {
      throw new ConfigError([
        `RELAY_TRUSTED_PROXIES contains ${JSON.stringify(entry)}. Each entry must be an address or a CIDR, such as 10.0.0.0/8.`,
      ]);
    }
  }
  return list;
}
