import type { Random } from '../plan/random.ts';
import { allPairs } from '../stage/line-up.ts';
import { type Fault, type PlannedFault, seconds } from './fault.ts';

const pairs = allPairs(2);

/** One pair loses sight of one another: each process notices for itself, or does not. */
function part(random: Random, pair: string, silently: boolean): PlannedFault {
  const at = random.integer(1_500, 4_000);
  const lasts = random.pick([3_000, 6_000, 10_000]);
  return {
    title: `${pair} ${silently ? 'silent' : 'cut'} for ${seconds(lasts)}`,
    async cause({ timeline, network }) {
      await timeline.until(at);
      const cable = network.cable(pair);
      await (silently ? cable.hold() : cable.cut());
      await timeline.until(at + lasts);
      await cable.restore();
    },
  };
}

/** The pair is the one whose turn it is. */
const parted = (silently?: boolean): Fault => ({
  takes: 'network',
  combines: true,
  draw(random, { turn }) {
    const pair = pairs[turn % pairs.length] as string;
    return part(random, pair, silently ?? random.chance(0.5));
  },
});

export const networkCut: Fault = parted(false);
export const networkSilent: Fault = parted(true);
export const pairParted: Fault = parted();
