import { type Cable, createCable } from '@expert-relay/testkit';

/** The cables of an environment, one for each connected pair. */
export interface Network {
  /** Adds a cable. Returns the address of its beginning. */
  addCable(pair: string, serverUrls: string | readonly string[]): Promise<string>;
  cable(pair: string): Cable;
  /** All cables to a service or server. */
  to(target: string): readonly Cable[];
  restore(): Promise<void>;
  stop(): Promise<void>;
}

export function createNetwork(): Network {
  const cables = new Map<string, Cable>();

  async function forAll(act: (cable: Cable) => Promise<void>): Promise<void> {
    await Promise.all([...cables.values()].map(act));
  }

  return {
    async addCable(pair, serverUrls) {
      const cable = await createCable(serverUrls);
      cables.set(pair, cable);
      return cable.url;
    },
    cable(pair) {
      const cable = cables.get(pair);
      if (!cable) throw new Error(`There is no cable from ${pair}.`);
      return cable;
    },
    to: (target) => [...cables].filter(([pair]) => pair.endsWith(` to ${target}`)).map(([, cable]) => cable),
    restore: () => forAll((cable) => cable.restore()),
    stop: () => forAll((cable) => cable.stop()),
  };
}
