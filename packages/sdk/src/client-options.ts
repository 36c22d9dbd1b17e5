import { invalidInput, type RelayError } from './relay-error.ts';
import type { Store } from './store.ts';

/** Options of all clients. */
export interface ConnectionOptions {
  /** The relay's address, for instance `https://relay.example`: without a user name and a password, since errors show it. */
  readonly url: string | URL;
  /** The hub's address. By default the relay names it. */
  readonly hubUrl?: string | URL | undefined;
  /** Keeps what must outlive this object, and what several processes share. By default it is forgotten together with this object. */
  readonly store?: Store | undefined;
  /**
   * Called once with the error when calls start to fail for a reason that will pass, and once without an error when
   * the relay answers again. Until then, calls are repeated. With `rate_limited`, `retryAfterMs` says when.
   */
  readonly onOutage?: ((error: RelayError | undefined) => void) | undefined;
  /** Replaces the platform's `fetch`, for example with one that uses a proxy. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Replaces `Math.random`, which spreads retries over time. */
  readonly random?: (() => number) | undefined;
  /** For unusual networks, and for tests. */
  readonly timing?: Partial<Timing> | undefined;
}

/** Options of clients with an API key. */
export interface ClientOptions extends ConnectionOptions {
  /** `hs_...` for agents, `hs_prov_...` for experts. */
  readonly apiKey: string;
}

/** The same, where what is left out is read from the environment. */
export interface PartialClientOptions extends Omit<ClientOptions, 'url' | 'apiKey'> {
  /** The relay's address, for instance `https://relay.example`: without a user name and a password, since errors show it. */
  readonly url?: string | URL | undefined;
  /** `hs_...` for agents, `hs_prov_...` for experts. */
  readonly apiKey?: string | undefined;
}

/** Options of the transport. Without a key, calls are made with the session's cookie. */
export interface Access extends ConnectionOptions {
  readonly apiKey?: string | undefined;
}

/**
 * How long things may take, in milliseconds.
 *
 * @example
 * const relay = createRelay({ timing: { pollMs: 10_000 } });
 */
export interface Timing {
  /** One attempt of a call, including its whole answer. Default 30 s. */
  readonly callMs: number;
  /** How long a call is repeated: up to five times after network errors and overload, and after rate limits. Default 150 s. */
  readonly patienceMs: number;
  /** The first wait before a repetition is at most twice this. The limit doubles each time, up to `maxBackoffMs`. Default 250 ms. */
  readonly backoffMs: number;
  /** The longest wait before a repetition. Default 15 s. */
  readonly maxBackoffMs: number;
  /** A stream that is silent for this long is opened again. Default 38 s: two and a half heartbeats. */
  readonly silenceMs: number;
  /** A new stream must send something within this time. Default 10 s. */
  readonly openingMs: number;
  /** How long new topics are collected before a stream is opened for them. Default 10 ms. */
  readonly gatherMs: number;
  /** How often a conversation is read while no stream is connected. Default 3 s. */
  readonly pollMs: number;
  /** How often it is read while a stream is connected, in case that an event was lost. Default 10 minutes for agents, 60 s for experts. */
  readonly recheckMs: number;
  /** How long after an expert has written it, an answer to a form is sent without asking again. Default 10 minutes. */
  readonly decisionMs: number;
  /** How long an expert's answer waits, after the pick-up, for what the agent has announced. Default 30 s. */
  readonly partsMs: number;
}

/** How long after the pick-up an agent may take to send what it has announced. */
export const awaitedPartsMs = 30_000;

export const defaultTiming: Timing = {
  callMs: 30_000,
  patienceMs: 150_000,
  backoffMs: 250,
  maxBackoffMs: 15_000,
  silenceMs: 38_000,
  openingMs: 10_000,
  gatherMs: 10,
  pollMs: 3_000,
  recheckMs: 60_000,
  decisionMs: 600_000,
  partsMs: awaitedPartsMs,
};

/**
 * Refuses a member that is not in `allowed`, a list of names separated by spaces. A misspelled option would otherwise be
 * ignored, and a question could be sent without its context.
 */
export function checkOptions<T extends object>(given: T, allowed: string): T {
  const names = allowed.split(' ');
  if (typeof given !== 'object' || given === null)
    throw invalidInput(`This must be an object with options: ${names.join(', ')}.`);
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      throw invalidInput(`There is no option \`${name}\`. Options: ${names.join(', ')}.`);
    }
  }
  return given;
}
