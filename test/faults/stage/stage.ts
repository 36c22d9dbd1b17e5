import type { DevUser } from '../../../scripts/local/secrets.ts';
import type { Database } from './database.ts';
import type { Network } from './network.ts';
import type { Processes } from './processes.ts';
import type { Leader } from './read-leaders.ts';

/** The real product, built and started, with a cable between each pair that talks. */
export interface Stage {
  readonly user: DevUser;
  readonly gatewayUrl: string;
  readonly hubUrls: readonly string[];
  readonly processes: Processes;
  readonly network: Network;
  readonly database: Database;
  tellRedis(command: string, ...args: string[]): Promise<string>;
  /** Who has led the outbox so far, the newest last. */
  leaders(): readonly Leader[];
  close(): Promise<void>;
}

export interface StageSettings {
  /** How many expiry workers there are. */
  readonly workers: number;
  /** How long conversations last: `8s`. */
  readonly ttl: string;
  /** What a worker takes for that; it only says how often it sweeps, and how far ahead it plans. */
  readonly workerTtl: string;
  /** By how much the clocks of workers are wrong, in milliseconds by name. */
  readonly clocks: Readonly<Record<string, number>>;
}
