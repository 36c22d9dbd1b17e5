import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { readBodyOf } from '../feed/read-event.ts';
import { type Credential, keyCredential, sessionCredential } from './credential.ts';

/** Longer than any token lives: what was revoked before has no token left. */
export const revocationMemory = 10 * 60_000;

/** Whatever this process's clock says. */
const atOnce = 0;

/**
 * Tokens from before this time end with a whole credential. A call that was let in before a session ended may sign a
 * token after it, and no session id is used twice. A key's token names the time of its secret instead of its own.
 */
const endOfValidity = (credential: 'apiKeyId' | 'sessionId', revokedAt: number): number =>
  credential === 'sessionId' ? Number.POSITIVE_INFINITY : revokedAt + 1;

interface Revocation {
  readonly eventId: string;
  readonly at: number;
  /** Ends credentials that exist since before this time. */
  readonly before: number;
  readonly endsAt: number;
}

/** Which credentials were revoked lately. */
export class Revocations {
  readonly #clock: Clock;
  readonly #onRevoked: (credentialId: string) => void;
  /** By credential; the one that was revoked last is the last. */
  readonly #byCredential = new Map<string, Revocation[]>();

  constructor(options: { clock: Clock; onRevoked: (credentialId: string) => void }) {
    this.#clock = options.clock;
    this.#onRevoked = options.onRevoked;
  }

  /** Takes note of the event if it is a revocation. */
  learn(event: EventHead): void {
    if (event.type !== 'credential_revoked') return;
    const body = readBodyOf(event);
    if (body.case !== 'credentialRevoked') return;
    const { credential, secretsBeforeMs, endsAtMs } = body.value;
    if (credential.value === undefined) return;
    const id =
      credential.case === 'apiKeyId' ? keyCredential(credential.value) : sessionCredential(credential.value);
    const { eventId } = event;
    const at = event.readTime() ?? this.#clock.now();
    const known = this.#byCredential.get(id) ?? [];
    if (this.#isForgotten({ at }) || known.some((one) => one.eventId === eventId)) return;
    const remembered = known.filter((one) => !this.#isForgotten(one));
    this.#byCredential.delete(id);
    const isRotation = secretsBeforeMs > 0n;
    this.#byCredential.set(id, [
      ...remembered,
      {
        eventId,
        at,
        before: isRotation ? Number(secretsBeforeMs) : endOfValidity(credential.case, at),
        endsAt: endsAtMs > secretsBeforeMs ? Number(endsAtMs) : atOnce,
      },
    ]);
    this.#prune();
    this.#onRevoked(id);
  }

  /** When a credential ends or has ended, in milliseconds, as far as that is known; otherwise infinite. */
  endOf({ id, since, endsAt = Number.POSITIVE_INFINITY }: Credential): number {
    let end = endsAt;
    for (const revocation of this.#byCredential.get(id) ?? [])
      if (since < revocation.before) end = Math.min(end, revocation.endsAt);
    return end;
  }

  /** Whether a token may not be used any more because what it rests on has ended. */
  hits(credential: Credential): boolean {
    return this.endOf(credential) <= this.#clock.now();
  }

  #isForgotten({ at }: Pick<Revocation, 'at'>): boolean {
    return at < this.#clock.now() - revocationMemory;
  }

  #prune(): void {
    for (const [id, revocations] of this.#byCredential) {
      if (!revocations.every((one) => this.#isForgotten(one))) return;
      this.#byCredential.delete(id);
    }
  }
}
