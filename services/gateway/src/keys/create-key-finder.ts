import { timingSafeEqual } from 'node:crypto';
import type { KeyKind } from '@expert-relay/kit/api-key';
import type { Clock } from '@expert-relay/kit/clock';
import type { Principal } from '@expert-relay/kit/principal';
import { LRUCache } from 'lru-cache';
import { limitTime } from '../limit-time.ts';

/** A key as the client sent it. */
export interface GivenKey {
  readonly kind: KeyKind;
  readonly digest: Buffer;
}

/** The principal of a key. */
export type KeyPrincipal = Extract<Principal, { apiKeyId: string }>;

export interface KeyFinder {
  /** Undefined for a key that does not work. The result of a recent look-up is given at once. */
  find(given: GivenKey): KeyPrincipal | undefined | Promise<KeyPrincipal | undefined>;
  /** A key was revoked or rotated: ask the database again. */
  forget(apiKeyId: string): void;
}

interface Known {
  readonly digest: Buffer;
  readonly principal: KeyPrincipal | undefined;
  /** When its look-up started. */
  readonly since: number;
}

const knownForMs = 5_000;
/** A key that is used after this is looked up again in the background, so that a key in steady use never waits. */
const refreshAfterMs = 4_000;
const unknownForMs = 1_000;

/**
 * Remembers look-ups for a few seconds. The time runs from the start of a look-up, so that a revocation is in force 5 s
 * after its commit even where its event does not arrive.
 */
export function createKeyFinder(options: {
  lookUp: (given: GivenKey) => Promise<KeyPrincipal | undefined>;
  clock: Clock;
  /** After this a look-up counts as failed, in milliseconds. */
  lookUpLimit?: number;
}): KeyFinder {
  const { lookUp, clock, lookUpLimit = 5_000 } = options;
  const working = new LRUCache<string, Known>({ max: 10_000 });
  // In a cache of their own, so that many invented keys do not remove the working ones.
  const unknown = new LRUCache<string, Known>({ max: 10_000 });
  const underWay = new Map<string, Promise<KeyPrincipal | undefined>>();
  let forgotten = 0;

  async function ask(given: GivenKey, digest: string): Promise<KeyPrincipal | undefined> {
    const since = clock.now();
    const forgottenBefore = forgotten;
    try {
      const principal = await limitTime(lookUpLimit, lookUp(given));
      // What was read before a revocation must not be remembered after it.
      if (forgotten === forgottenBefore) {
        const name = nameOf(digest);
        working.delete(name);
        (principal ? working : unknown).set(name, { digest: given.digest, principal, since });
      }
      return principal;
    } finally {
      underWay.delete(digest);
    }
  }

  function askOnce(given: GivenKey, digest: string): Promise<KeyPrincipal | undefined> {
    const joined = underWay.get(digest);
    if (joined) return joined;
    const asked = ask(given, digest);
    underWay.set(digest, asked);
    return asked;
  }

  /** A clock that was set back must not make an entry last longer. */
  function inTime(known: Known | undefined, limitMs: number): Known | undefined {
    const age = known ? clock.now() - known.since : limitMs;
    return age >= 0 && age < limitMs ? known : undefined;
  }

  return {
    find(given) {
      const digest = given.digest.toString('latin1');
      const name = nameOf(digest);
      const known = inTime(working.get(name), knownForMs) ?? inTime(unknown.get(name), unknownForMs);
      if (known && timingSafeEqual(known.digest, given.digest)) {
        // When it fails, the next call after the 5 s asks again and gets the error.
        if (clock.now() - known.since >= refreshAfterMs) askOnce(given, digest).catch(() => {});
        return known.principal;
      }
      return askOnce(given, digest);
    },
    forget(apiKeyId) {
      forgotten++;
      for (const [name, { principal }] of working.entries()) {
        if (principal?.apiKeyId === apiKeyId) working.delete(name);
      }
    },
  };
}

/** Entries are found by half of the digest. All of it is then compared in constant time. */
const nameOf = (digest: string): string => digest.slice(0, 16);
