import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The first addresses of a name, IPv4 before IPv6; none when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const timeoutMs = 2_000;
/** A name may have thousands, and to check them all would take this process a tenth of a second for each delivery. */
const maxAddresses = 32;

/** The address that the host of a URL is; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}

/** The address of a host that needs no DNS: `localhost` is never sent to it (RFC 6761). */
export const addressWithoutDns = (hostname: string): string | undefined =>
  /(^|\.)localhost\.?$/i.test(hostname) ? '127.0.0.1' : literalAddress(hostname);

/**
 * Resolves names by DNS, without the machine's hosts file and search domains. `servers` replaces the system's servers.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  return async (hostname) => {
    const address = addressWithoutDns(hostname);
    if (address !== undefined) return [address];
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    if (servers) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      const responses = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const found = responses.flatMap((response) => (response.status === 'fulfilled' ? response.value : []));
      return found.slice(0, maxAddresses);
    } finally {
      clearTimeout(timer);
    }
  };
}
