/**
 * Something with a life of its own inside a service: a connection, a server, a loop.
 * A service starts its parts in order and stops them in reverse.
 */
export interface Part {
  readonly name: string;
  /** Resolves once the part works, or works on getting there by itself (see `notReady`). */
  start?(): Promise<void>;
  /** Why the service should get no traffic now; `undefined` when this part is fine. */
  notReady?(): string | undefined;
  /** Stopping has begun: go on serving, but send whoever can go elsewhere there. */
  drain?(): void;
  /** Finishes what is under way and lets go of everything. */
  stop?(): Promise<void>;
}
