import type { Needs, PlannedFault } from '../causes/fault.ts';
import { faults } from '../causes/index.ts';
import { pairParted } from '../causes/network.ts';
import { drawScript, type Script } from '../load/script.ts';
import type { Crowd } from '../load/seed-crowd.ts';
import type { StageSettings } from '../stage/stage.ts';
import { createRandom, type Random } from './random.ts';

/** Everything that a seed decides. */
export interface Plan {
  readonly seed: number;
  readonly faults: readonly PlannedFault[];
  readonly mayLosePositions: boolean;
  readonly stage: StageSettings;
  readonly scripts: readonly Script[];
  readonly crowd: Crowd | undefined;
  readonly readersPerRequest: number;
  /** For what readers draw while they run. */
  readonly random: Random;
}

const conversations = 40;
const usual: StageSettings = { workers: 2, ttl: '8s', workerTtl: '8s', clocks: {} };

/** The same seed gives the same plan: faults, times, load and ids. */
export function makePlan(seed: number): Plan {
  const random = createRandom(seed);
  const first = faults[(seed - 1) % faults.length] as (typeof faults)[number];
  const others = faults.filter(({ combines, takes }) => combines && takes !== first.takes);
  const second = random.pick(others);
  const chosen = random.chance(0.5) ? [first, second] : [first];
  // Every third seed parts a pair as well.
  if (seed % 3 === 0 && first.takes !== 'network') chosen.splice(1, 1, pairParted);
  const turn = Math.floor(seed / 3);
  const planned = chosen.map((fault) => fault.draw(random.fork(), { conversations, turn }));
  const { crowd, readersPerRequest = 1, ...stage } = needsOf(planned);
  const load = random.fork();
  return {
    seed,
    faults: planned,
    mayLosePositions: chosen.some(({ losesPositions }) => losesPositions),
    stage: { ...usual, ...stage },
    scripts: Array.from({ length: conversations }, () => drawScript(load, { within: 5_000, lasting: 5_000 })),
    crowd,
    readersPerRequest,
    random: random.fork(),
  };
}

/** Faults that are caused together never need the same thing. */
function needsOf(planned: readonly PlannedFault[]): Needs {
  return Object.assign({}, ...planned.map(({ needs }) => needs));
}
