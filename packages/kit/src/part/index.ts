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
  /** Of a server that the service cannot do without: whether it has accepted the settings of this process. */
  acceptance?(): Acceptance;
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

/** `unknown` while the server is away. */
export type Acceptance = 'accepted' | 'unknown' | { readonly refused: string };

/** Whether a failure is about credentials, permissions, or a certificate that one of the two sides does not trust. */
export const isRefusal = (reason: string): boolean =>
  /^(WRONGPASS|NOAUTH|NOPERM)|Authorization Violation|authentication expired|certificate|unknown ca/i.test(
    reason,
  );

/** The service cannot start. The message says what an operator can do about it. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
