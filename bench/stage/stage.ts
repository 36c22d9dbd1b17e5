import type { DevUser } from '../../scripts/local/secrets.ts';
import type { ServiceName } from '../../scripts/local/services.ts';
import type { Controlled } from './controlled.ts';
import type { Database } from './open-database.ts';

/** What rows are played on: servers, a user, and processes that can be asked what they use. */
export interface Stage {
  readonly user: DevUser;
  readonly database: Database;
  /** Makes the load, in a process of its own. */
  readonly load: Controlled;
  /** How services know the gateway. */
  readonly gatewayKeys: Readonly<Record<'requests' | 'messages', string>>;
  /** A service as production runs it; the same one again when it runs already. */
  service(name: ServiceName, settings?: StartSettings): Promise<Controlled>;
  /** One of `bench/programs`; `as` for a second one of the same. */
  program(name: string, env?: NodeJS.ProcessEnv, as?: string): Promise<Controlled>;
  readonly natsUrl: string;
  /** nginx + nchan, a baseline for the hub; fails with the reason where it cannot be had. */
  nchan(): Promise<Controlled>;
}

export interface StartSettings {
  /** For a second one of the same service. */
  as?: string;
  env?: NodeJS.ProcessEnv;
}
