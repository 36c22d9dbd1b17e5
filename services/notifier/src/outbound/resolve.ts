import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The first addresses of a name, IPv4 before IPv6; none when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const timeoutMs = 2_000;
/** A name may have thousands, and to check them all would take this process a tenth of a second for each delivery. */
const maxAddresses = 32;

/**
 * Resolves names by DNS, without the machine's hosts file and search domains. `servers` replaces the system's servers. The
 * name `localhost` is never sent to DNS (RFC 6761).
 */
export function createResolve(servers?: readonly string[]): Resolve {
  return async (hostname) => {
    const literal = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0) return [literal];
    if (/(^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1'];
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
