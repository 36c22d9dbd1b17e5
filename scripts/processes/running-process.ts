import type { KnownProcess } from './process-identity.ts';

/** What must be known of a process to stop it rightly, also by another run than the one that began it. */
export interface RunningProcess extends KnownProcess {
  name: string;
  /** Higher tiers are stopped first: the edge, then what it calls, then the servers at 0. */
  tier: number;
  stopSignal: NodeJS.Signals;
  /** The Docker container that the process speaks for. */
  container?: string;
}
