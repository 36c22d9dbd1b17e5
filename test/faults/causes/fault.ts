import type { Crowd } from '../load/seed-crowd.ts';
import type { Timeline } from '../load/timeline.ts';
import type { Random } from '../plan/random.ts';
import type { ResumingReader } from '../readers/resuming-reader.ts';
import type { Stage, StageSettings } from '../stage/stage.ts';

/** Where a fault happens. */
export interface Scene extends Stage {
  readonly timeline: Timeline;
  readonly readers: readonly ResumingReader[];
  /** Says in the record what was seen. */
  remark(text: string): void;
  /** Opens subscribers that are closed at the end of the seed. */
  openSilentReaders(count: number): void;
}

/** What a fault needs of the load to be worth causing. */
export interface Needs extends Partial<StageSettings> {
  readonly crowd?: Crowd;
  /** Resuming subscribers of each request. */
  readonly readersPerRequest?: number;
}

/** A fault with everything drawn: when, whom, for how long. */
export interface PlannedFault {
  /** As it stands in the record. */
  readonly title: string;
  readonly needs?: Needs;
  /** Causes it at its time, and mends what it broke before it ends. */
  cause(scene: Scene): Promise<void>;
}

/** What a fault takes away; two of one seed never take away the same. */
export type Taken =
  | 'nats'
  | 'postgres'
  | 'redis'
  | 'worker'
  | 'hub'
  | 'leader'
  | 'service'
  | 'network'
  | 'readers';

export interface Fault {
  readonly takes: Taken;
  /** Whether it may come beside another one; what shapes the whole load comes first. */
  readonly combines: boolean;
  /** Whether NATS may lose what it had acknowledged, so that positions are honestly gone. */
  readonly losesPositions?: boolean;
  draw(random: Random, plan: { conversations: number; turn: number }): PlannedFault;
}

export const seconds = (milliseconds: number): string => `${milliseconds / 1_000} s`;
