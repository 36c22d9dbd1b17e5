import { createTcpProxy, type TcpProxy } from '@expert-relay/testkit';

/** The proxies of an environment, one for each connected pair. */
export interface Network {
  /** Adds a proxy. Returns the address of its beginning. */
  addProxy(pair: string, serverUrls: string | readonly string[]): Promise<string>;
  proxy(pair: string): TcpProxy;
  /** All proxies to a service or server. */
  to(target: string): readonly TcpProxy[];
  restore(): Promise<void>;
  stop(): Promise<void>;
}

export function createNetwork(): Network {
  const proxies = new Map<string, TcpProxy>();

  async function forAll(act: (proxy: TcpProxy) => Promise<void>): Promise<void> {
    await Promise.all([...proxies.values()].map(act));
  }

  return {
    async addProxy(pair, serverUrls) {
      const proxy = await createTcpProxy(serverUrls);
      proxies.set(pair, proxy);
      return proxy.url;
    },
    proxy(pair) {
      const proxy = proxies.get(pair);
      if (!proxy) throw new Error(`There is no proxy from ${pair}.`);
      return proxy;
    },
    to: (target) => [...proxies].filter(([pair]) => pair.endsWith(` to ${target}`)).map(([, proxy]) => proxy),
    restore: () => forAll((proxy) => proxy.restore()),
    stop: () => forAll((proxy) => proxy.stop()),
  };
}
