import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The addresses of a name, IPv4 first; none when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const timeoutMs = 2_000;

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
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      clearTimeout(timer);
    }
  };
}
