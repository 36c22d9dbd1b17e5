import { allPairs } from '../environment/topology.ts';
import type { Random } from '../plan/random.ts';
import { type Fault, type PlannedFault, seconds } from './fault.ts';

const pairs = allPairs(2);

/** Disconnects one pair. If it is silent, connections stay open and nothing passes. */
function disconnect(random: Random, pair: string, silently: boolean): PlannedFault {
  const at = random.integer(1_500, 4_000);
  const durationMs = random.pick([3_000, 6_000, 10_000]);
  return {
    title: `${pair} ${silently ? 'silent' : 'cut'} for ${seconds(durationMs)}`,
    async inject({ timeline, network }) {
      await timeline.waitUntil(at);
      const proxy = network.proxy(pair);
      await (silently ? proxy.hold() : proxy.cut());
      await timeline.waitUntil(at + durationMs);
      await proxy.restore();
    },
  };
}

/** Takes the pairs in turn. */
const disconnected = (silently?: boolean): Fault => ({
  affects: 'network',
  combines: true,
  draw(random, { turn }) {
    const pair = pairs[turn % pairs.length] as string;
    return disconnect(random, pair, silently ?? random.chance(0.5));
  },
});

export const networkCut: Fault = disconnected(false);
export const networkSilent: Fault = disconnected(true);
export const pairDisconnected: Fault = disconnected();
