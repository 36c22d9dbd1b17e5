import { timingSafeEqual } from 'node:crypto';
import type { ParsedApiKey } from '@expert-relay/kit/api-key';
import type { Clock } from '@expert-relay/kit/clock';
import type { KeyPrincipal } from '@expert-relay/kit/principal';
import { withTimeout } from '@expert-relay/kit/timeout';
import { LRUCache } from 'lru-cache';

export interface KeyCache {
  /** The principal of a key; undefined if the key is not valid. A recent result is returned without a promise. */
  find(key: ParsedApiKey): KeyPrincipal | undefined | Promise<KeyPrincipal | undefined>;
  /** The principal of a key that was valid in the last five minutes, without a look-up. */
  recall(key: ParsedApiKey): KeyPrincipal | undefined;
  /** Removes a key that was revoked or rotated. */
  forget(apiKeyId: string): void;
}

interface Entry {
  readonly digest: Buffer;
  readonly principal: KeyPrincipal | undefined;
  /** When the look-up started. */
  readonly lookedUpAt: number;
}

const validKeyMs = 5_000;
/** A key that is used after this time is looked up again in the background, so that a key in regular use never waits. */
const refreshAfterMs = 4_000;
const unknownKeyMs = 1_000;
const recentlyValidMs = 300_000;

/**
 * Keeps the results of look-ups for a few seconds. The time counts from the start of a look-up, so a revocation takes
 * effect 5 s after its commit even if its event does not arrive. A secret whose end is known ends then.
 */
export function createKeyCache(options: {
  lookUp: (key: ParsedApiKey) => Promise<KeyPrincipal | undefined>;
  clock: Clock;
  lookUpTimeoutMs?: number;
}): KeyCache {
  const { lookUp, clock, lookUpTimeoutMs = 5_000 } = options;
  const validKeys = new LRUCache<string, Entry>({ max: 10_000 });
  // Another cache, so that many invented keys do not remove the valid ones.
  const unknownKeys = new LRUCache<string, Entry>({ max: 10_000 });
  const runningLookUps = new Map<string, Promise<KeyPrincipal | undefined>>();
  let revocations = 0;

  async function lookUpAndStore(key: ParsedApiKey, digest: string): Promise<KeyPrincipal | undefined> {
    const lookedUpAt = clock.now();
    const revocationsBefore = revocations;
    try {
      const principal = await withTimeout(lookUp(key), lookUpTimeoutMs);
      // The result may be from before a revocation that has arrived since.
      if (revocations === revocationsBefore) {
        const id = entryId(digest);
        validKeys.delete(id);
        (principal ? validKeys : unknownKeys).set(id, { digest: key.digest, principal, lookedUpAt });
      }
      return principal;
    } finally {
      runningLookUps.delete(digest);
    }
  }

  /** Calls with the same key at the same time share one look-up. */
  function joinLookUp(key: ParsedApiKey, digest: string): Promise<KeyPrincipal | undefined> {
    let running = runningLookUps.get(digest);
    if (!running) {
      running = lookUpAndStore(key, digest);
      runningLookUps.set(digest, running);
    }
    return running;
  }

  /**
   * The entry, if it is not too old and its secret has not ended. A clock that was set back must not make it last longer. The
   * database decides whether a secret has ended: this clock may be ahead.
   */
  function ifRecent(entry: Entry | undefined, maxAgeMs: number): Entry | undefined {
    if (!entry) return undefined;
    const now = clock.now();
    const ageMs = now - entry.lookedUpAt;
    const endsAt = entry.principal?.secret.endsAt ?? Number.POSITIVE_INFINITY;
    return ageMs >= 0 && ageMs < maxAgeMs && now < endsAt ? entry : undefined;
  }

  return {
    find(key) {
      const digest = key.digest.toString('latin1');
      const id = entryId(digest);
      const entry = ifRecent(validKeys.get(id), validKeyMs) ?? ifRecent(unknownKeys.get(id), unknownKeyMs);
      if (!entry || !timingSafeEqual(entry.digest, key.digest)) return joinLookUp(key, digest);
      if (clock.now() - entry.lookedUpAt >= refreshAfterMs) {
        // After a failure the entry stays. The first call after the 5 s looks the key up again, and gets the error.
        joinLookUp(key, digest).catch(() => {});
      }
      return entry.principal;
    },
    recall({ digest }) {
      const entry = ifRecent(validKeys.peek(entryId(digest.toString('latin1'))), recentlyValidMs);
      return entry && timingSafeEqual(entry.digest, digest) ? entry.principal : undefined;
    },
    forget(apiKeyId) {
      revocations++;
      for (const [id, { principal }] of validKeys.entries()) {
        if (principal?.apiKeyId === apiKeyId) validKeys.delete(id);
      }
    },
  };
}

/**
 * Entries are found by the first half of the digest, and then the whole digest is compared in constant time, so the
 * duration of a search shows nothing about the second half.
 */
const entryId = (digest: string): string => digest.slice(0, 16);
