import { bodyLimit, KeyedCounter, networkOf, siteOf } from '@expert-relay/kit/http';

/** Something in memory on behalf of a client, which can be given up when its memory is needed. */
export interface Held {
  /** Frees its memory at once. It is not called again. */
  giveUp(reason: 'address' | 'all'): void;
}

/** The memory of one call. */
export interface Share {
  /** Changes how many bytes it has. When they are too many, some calls are given up, perhaps this one. */
  resize(bytes: number): void;
  /** From now on it cannot be given up. */
  keep(): void;
  /** Gives the bytes back. */
  close(): void;
}

export interface SharedMemory<H extends Held> {
  readonly bytes: number;
  open(client: string, held: H): Share;
}

interface Network<H> {
  /** The IPv6 /48 of the network. */
  readonly site: string | undefined;
  bytes: number;
  shares: number;
  /** What can be given up, oldest first. */
  readonly held: Set<H>;
}

/**
 * Divides memory between clients: an address (IPv6: a /64) may use a quarter of it, and an IPv6 /48 a half. Beyond that
 * one of its own calls is given up. When all memory is used, a call of the network that uses most is given up, so that many
 * addresses cannot exclude the others.
 */
export function createSharedMemory<H extends Held>(options: {
  total: number;
  /** Chooses what a network gives up; the oldest is the first. */
  choose: (held: readonly [H, ...H[]]) => H;
}): SharedMemory<H> {
  const { total, choose } = options;
  // One whole body and the beginning of another one must fit into any share.
  const perNetwork = Math.max(total / 4, 2 * bodyLimit);
  const perSite = Math.max(total / 2, 2 * bodyLimit);
  const networks = new Map<string, Network<H>>();
  const siteBytes = new KeyedCounter();
  let bytes = 0;

  function add(network: Network<H>, change: number): void {
    bytes += change;
    network.bytes += change;
    if (network.site !== undefined) siteBytes.add(network.site, change);
  }

  /** The network with most bytes that can give something up. */
  function largest(isInScope: (network: Network<H>) => boolean): Network<H> | undefined {
    let result: Network<H> | undefined;
    for (const network of networks.values()) {
      if (network.held.size === 0 || !isInScope(network)) continue;
      if (!result || network.bytes > result.bytes) result = network;
    }
    return result;
  }

  function freeFor(network: Network<H>): void {
    for (;;) {
      const { site } = network;
      const isAddressOver = network.bytes > perNetwork;
      const isSiteOver = site !== undefined && siteBytes.of(site) > perSite;
      if (!isAddressOver && !isSiteOver && bytes <= total) return;
      const from = largest(
        (one) => one === network || (!isAddressOver && (!isSiteOver || one.site === site)),
      );
      if (!from) return;
      const held = choose([...from.held] as [H, ...H[]]);
      from.held.delete(held);
      held.giveUp(isAddressOver || isSiteOver ? 'address' : 'all');
    }
  }

  return {
    get bytes() {
      return bytes;
    },
    open(client, held) {
      const key = networkOf(client);
      let network = networks.get(key);
      if (!network) {
        network = { site: siteOf(client), bytes: 0, shares: 0, held: new Set() };
        networks.set(key, network);
      }
      const own = network;
      own.shares++;
      own.held.add(held);
      let ownBytes = 0;
      let isOpen = true;
      return {
        resize(newBytes) {
          if (!isOpen) return;
          const change = newBytes - ownBytes;
          ownBytes = newBytes;
          add(own, change);
          if (change > 0) freeFor(own);
        },
        keep: () => void own.held.delete(held),
        close() {
          if (!isOpen) return;
          isOpen = false;
          add(own, -ownBytes);
          own.held.delete(held);
          if (--own.shares === 0) networks.delete(key);
        },
      };
    },
  };
}
