import { timingSafeEqual } from 'node:crypto';
import type { KeyKind } from '@expert-relay/kit/api-key';
import type { Clock } from '@expert-relay/kit/clock';
import type { Principal } from '@expert-relay/kit/principal';
import { within } from '../within.ts';
import { RecentMap } from './recent-map.ts';

/** A key as it was presented. */
export interface GivenKey {
  readonly kind: KeyKind;
  readonly digest: Buffer;
}

/** Who calls with a key. */
export type KeyPrincipal = Extract<Principal, { apiKeyId: string }>;

export interface KeyFinder {
  /** Undefined for a key that does not work. A key that was found lately is there at once. */
  find(given: GivenKey): KeyPrincipal | undefined | Promise<KeyPrincipal | undefined>;
  /** A key was revoked or rotated: ask the database again. */
  forget(apiKeyId: string): void;
}

interface Known {
  readonly digest: Buffer;
  readonly principal: KeyPrincipal | undefined;
}

const life = 5_000;
/** Who calls from then on gets what is known, and has it looked up anew: a key in steady use keeps nobody waiting. */
const fresh = 4_000;

/**
 * Remembers look-ups for a few seconds. The time runs from the start of a look-up, so that a
 * revocation is in force 5 s after its commit even where its event is not heard.
 */
export function createKeyFinder(options: {
  lookUp: (given: GivenKey) => Promise<KeyPrincipal | undefined>;
  clock: Clock;
  /** After this a look-up counts as failed, in milliseconds. */
  lookUpLimit?: number;
}): KeyFinder {
  const { lookUp, clock, lookUpLimit = 5_000 } = options;
  const working = new RecentMap<Known>({ clock, life, most: 10_000 });
  // Apart, so that a flood of invented keys does not push the working ones out.
  const unknown = new RecentMap<Known>({ clock, life: 1_000, most: 10_000 });
  const underWay = new Map<string, Promise<KeyPrincipal | undefined>>();
  let forgotten = 0;

  async function ask(given: GivenKey, digest: string): Promise<KeyPrincipal | undefined> {
    const since = clock.now();
    const forgottenBefore = forgotten;
    try {
      const principal = await within(lookUpLimit, lookUp(given));
      // What was read before a revocation must not be remembered after it.
      if (forgotten === forgottenBefore) {
        const name = nameOf(digest);
        working.delete(name);
        const lasting = principal ? working : unknown;
        lasting.set(name, { digest: given.digest, principal }, since);
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

  return {
    find(given) {
      const digest = given.digest.toString('latin1');
      const name = nameOf(digest);
      const { value: known, age = 0 } = working.get(name) ?? unknown.get(name) ?? {};
      if (known && timingSafeEqual(known.digest, given.digest)) {
        // When it fails, whoever calls after the five seconds asks again, and hears why.
        if (age >= fresh) askOnce(given, digest).catch(() => {});
        return known.principal;
      }
      return askOnce(given, digest);
    },
    forget(apiKeyId) {
      forgotten++;
      working.deleteWhere(({ principal }) => principal?.apiKeyId === apiKeyId);
    },
  };
}

/** Half of a digest finds what is known; whether it is this key, all of it says, in constant time. */
const nameOf = (digest: string): string => digest.slice(0, 16);
