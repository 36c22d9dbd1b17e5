import type { Memory } from './memory.ts';
import type { RelayError } from './relay-error.ts';

/** Options of all clients. */
export interface ConnectionOptions {
  /** The relay's address, for instance `https://relay.example`. */
  readonly url: string | URL;
  /** The hub's address. Asked of the relay when it is not given. */
  readonly hubUrl?: string | URL | undefined;
  /** Where to remember experts or requests. Without one they are remembered as long as this object lives. */
  readonly memory?: Memory | undefined;
  /**
   * Called once when calls begin to fail for a reason that passes, with the error of the first one, and once without
   * an error when the relay answers again. Calls are repeated meanwhile. With `rate_limited`, `retryAfter` says when.
   */
  readonly onOutage?: ((error: RelayError | undefined) => void) | undefined;
  /** Instead of the platform's `fetch`, for instance one that goes through a proxy. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Instead of `Math.random`, which spreads retries over time. */
  readonly random?: (() => number) | undefined;
  /** For unusual networks, and for tests. */
  readonly timing?: Partial<Timing> | undefined;
}

/** Options of clients with an API key. */
export interface ClientOptions extends ConnectionOptions {
  /** `hs_...` for agents, `hs_prov_...` for experts. */
  readonly apiKey: string;
}

/** Options as the transport gets them: without a key, calls are made with the session's cookie. */
export interface Access extends ConnectionOptions {
  readonly apiKey?: string | undefined;
}

/** How long things may take, in milliseconds. */
export interface Timing {
  /** One try of a call, its whole answer included. Default 30 s. */
  readonly call: number;
  /** How long a call is repeated after network errors, overload or a rate limit. Default 150 s. */
  readonly patience: number;
  /** The first wait before a repetition, at most; it doubles each time, up to `maxBackoff`. Default 250 ms. */
  readonly backoff: number;
  /** Default 15 s. */
  readonly maxBackoff: number;
  /** A stream that says nothing for this long is opened anew. Default 38 s: two and a half heartbeats. */
  readonly silence: number;
  /** How soon a new stream must say something. Default 10 s. */
  readonly opening: number;
  /** How long new topics are gathered before a stream is opened for them. Default 10 ms. */
  readonly gather: number;
  /** How often a conversation is read while no stream comes through. Default 3 s. */
  readonly poll: number;
  /** How often it is read all the same while one does. Default 60 s. */
  readonly recheck: number;
}
