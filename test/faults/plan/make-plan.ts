import type { Needs, PlannedFault } from '../catalog/fault.ts';
import { faults } from '../catalog/index.ts';
import { pairDisconnected } from '../catalog/network.ts';
import type { EnvironmentSettings } from '../environment/instances.ts';
import { drawScript, type Script } from '../load/script.ts';
import type { SeededRequests } from '../load/seed-requests.ts';
import { createRandom, type Random } from './random.ts';

/** Everything that a seed determines. */
export interface Plan {
  readonly seed: number;
  readonly faults: readonly PlannedFault[];
  readonly mayLosePositions: boolean;
  readonly environment: EnvironmentSettings;
  readonly scripts: readonly Script[];
  /** Requests without an answer, of which an expert is notified. */
  readonly waiting: readonly Script[];
  readonly seeded: SeededRequests | undefined;
  readonly readersPerRequest: number;
  /** Used by readers while they run. */
  readonly random: Random;
}

const conversations = 40;
const waitingRequests = 16;
const usual: EnvironmentSettings = { workers: 2, ttl: '8s', workerTtl: '8s', clocks: {} };

/** The same seed gives the same plan: faults, times, load and ids. */
export function makePlan(seed: number): Plan {
  const random = createRandom(seed);
  const first = faults[(seed - 1) % faults.length] as (typeof faults)[number];
  const others = faults.filter(({ combines, affects }) => combines && affects !== first.affects);
  const second = random.pick(others);
  const chosen = random.chance(0.5) ? [first, second] : [first];
  // Every third seed also disconnects a pair.
  if (seed % 3 === 0 && first.affects !== 'network') chosen.splice(1, 1, pairDisconnected);
  const turn = Math.floor(seed / 3);
  const planned = chosen.map((fault) => fault.draw(random.fork(), { conversations, turn }));
  const { seeded, readersPerRequest = 1, ...environment } = needsOf(planned);
  const load = random.fork();
  return {
    seed,
    faults: planned,
    mayLosePositions: chosen.some(({ losesPositions }) => losesPositions),
    environment: { ...usual, ...environment },
    scripts: Array.from({ length: conversations }, () =>
      drawScript(load, { submitWithinMs: 5_000, lasting: 5_000 }),
    ),
    waiting: Array.from({ length: waitingRequests }, () => ({
      ...drawScript(load, { submitWithinMs: 8_000, lasting: 100 }),
      consumer: [],
      provider: [],
      closeAt: undefined,
    })),
    seeded,
    readersPerRequest,
    random: random.fork(),
  };
}

/** Faults of the same seed never need the same thing. */
function needsOf(planned: readonly PlannedFault[]): Needs {
  return Object.assign({}, ...planned.map(({ needs }) => needs));
}
