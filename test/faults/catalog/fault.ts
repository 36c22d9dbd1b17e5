import type { Environment } from '../environment/environment.ts';
import type { EnvironmentSettings } from '../environment/instances.ts';
import type { SeededRequests } from '../load/seed-requests.ts';
import type { Timeline } from '../load/timeline.ts';
import type { Random } from '../plan/random.ts';
import type { ResumingReader } from '../readers/resuming-reader.ts';

/** What a fault can use while it is injected. */
export interface FaultContext extends Environment {
  readonly timeline: Timeline;
  readonly readers: readonly ResumingReader[];
  /** Adds an observation to the record. */
  remark(text: string): void;
  /** Opens subscribers that are closed at the end of the seed. */
  openSilentReaders(count: number): void;
}

/** What a fault needs of load and environment to have an effect. */
export interface Needs extends Partial<EnvironmentSettings> {
  readonly seeded?: SeededRequests;
  /** The number of resuming readers of each request. */
  readonly readersPerRequest?: number;
}

/** A fault with its time, target and duration. */
export interface PlannedFault {
  /** Written into the record. */
  readonly title: string;
  readonly needs?: Needs;
  /** Injects the fault at its time, and repairs the damage before it resolves. */
  inject(context: FaultContext): Promise<void>;
}

/** What a fault affects. Two faults of one seed never affect the same. */
export type Affected =
  | 'nats'
  | 'postgres'
  | 'redis'
  | 'worker'
  | 'hub'
  | 'leader'
  | 'service'
  | 'notifier'
  | 'receiver'
  | 'network'
  | 'readers';

export interface Fault {
  readonly affects: Affected;
  /** Whether it may be the second fault of a seed. A fault that needs a special load is always the first. */
  readonly combines: boolean;
  /** Whether NATS may lose acknowledged events. Then readers may be reset, or get these events twice. */
  readonly losesPositions?: boolean;
  draw(random: Random, plan: { conversations: number; turn: number }): PlannedFault;
}

export const seconds = (milliseconds: number): string => `${milliseconds / 1_000} s`;

/** A server is killed, and starts again at once or after a while. */
export function serverKilled(
  server: 'nats' | 'postgres' | 'redis',
  options: {
    name: string;
    /** The range of the time at which it is killed. */
    atMs: readonly [number, number];
    downMs: readonly number[];
    losesPositions?: true;
  },
): Fault {
  const { name, atMs, downMs: durations, ...rest } = options;
  return {
    affects: server,
    combines: true,
    ...rest,
    draw(random) {
      const at = random.integer(...atMs);
      const downMs = random.pick(durations);
      return {
        title: downMs === 0 ? `${name} killed` : `${name} killed, back after ${seconds(downMs)}`,
        async inject({ timeline, processes }) {
          await timeline.waitUntil(at);
          await processes.takeDown(server);
          await timeline.waitUntil(at + downMs);
          await processes.bringBack(server);
        },
      };
    },
  };
}
