/**
 * Something with a life of its own inside a service: a connection, a server, a loop.
 * A service starts its parts in order and stops them in reverse.
 */
export interface Part {
  readonly name: string;
  /** What it needs from outside of the process; reported at /readyz and as a metric. */
  readonly dependency?: Dependency;
  /** Resolves once the part works, or works on getting there by itself (see `notReady`). */
  start?(): Promise<void>;
  /** Why the service should get no traffic now; `undefined` when this part is fine. */
  notReady?(): string | undefined;
  /** Stopping has begun: the part goes on serving, but sends clients that can go elsewhere there. */
  drain?(): void;
  /** Finishes what is under way and releases everything. */
  stop?(): Promise<void>;
}

/** A server, or something that a server holds, without which a service can do less. */
export interface Dependency {
  readonly name: string;
  /** Why it cannot be used now; `undefined` while it can. */
  away(): string | undefined;
}
