import type { Span } from '../programs/span.ts';
import type { Controlled } from '../stage/controlled.ts';

/** One side of a comparison. */
export interface Subject {
  readonly name: string;
  /** Whose CPU time counts. */
  readonly processes: readonly Controlled[];
  run(count: number): Promise<Span>;
}

/** What one run came to. */
export interface Figures {
  readonly perSecond: number;
  /** CPU time of the subject's processes for one call, in microseconds. */
  readonly cpu: number;
  /** How much of one core the load's own process took; undefined where the subject is its own load. */
  readonly load: number | undefined;
}
