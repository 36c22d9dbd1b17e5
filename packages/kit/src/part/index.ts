/**
 * Something that a service starts and stops: a connection, a server, a loop.
 * A service starts its parts in order and stops them in reverse.
 */
export interface Part {
  readonly name: string;
  /** A server that the part needs; reported at /readyz and as a metric. */
  readonly dependency?: Dependency;
  /** Resolves when the part works, or when the rest of its start continues in the background (see `notReady`). */
  start?(): Promise<void>;
  /** Why the service should get no traffic now; `undefined` when this part is fine. */
  notReady?(): string | undefined;
  /**
   * Why its server, which the service cannot do without, refuses the settings of this process; `undefined` once it has accepted
   * them, and while it is only away.
   */
  refusal?(): string | undefined;
  /** Called when stopping begins: the part still serves, and asks clients to use another instance. */
  drain?(): void;
  /** Finishes running work and releases everything. */
  stop?(): Promise<void>;
}

/** A server, or something in a server, that a service needs. */
export interface Dependency {
  readonly name: string;
  /** Why it cannot be used now; `undefined` while it can. */
  away(): string | undefined;
}

/** Whether a server has answered and refused: wrong credentials, no permission, or a certificate that one of the two does not trust. */
export const isRefusal = (reason: string): boolean =>
  /^(WRONGPASS|NOAUTH|NOPERM)|Authorization Violation|certificate/i.test(reason);

/** The service cannot start. The message says what an operator can do about it. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
