import { type CredentialRevoked, type EventHead, sessionClockToleranceMs } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { bodyOf, recordedAtOf } from '../events/event-content.ts';
import { allSessions, type Credential, idsOf, keyCredential, sessionCredential } from './stream-token.ts';

/** Longer than any token is valid, so an older revocation affects no token. */
const rememberedMs = 10 * 60_000;

/** An end in the past. */
const immediately = 0;

/**
 * A revocation that is not a rotation ends the credentials that began before this time: of a key, its secret. A session's
 * revocation ends all of its tokens, since a call that was authorised before may sign a token later.
 */
const endedBefore: Readonly<Record<RevokedCredential['case'], (revokedAt: number) => number>> = {
  apiKeyId: (revokedAt) => revokedAt + 1,
  sessionId: () => Number.POSITIVE_INFINITY,
  allSessions: (revokedAt) => revokedAt + sessionClockToleranceMs,
};

function idOf({ case: name, value }: RevokedCredential, userId: string): string {
  if (name === 'apiKeyId') return keyCredential(value);
  return name === 'sessionId' ? sessionCredential(value) : allSessions(userId);
}

type RevokedCredential = Exclude<CredentialRevoked['credential'], { case: undefined }>;

interface Revocation {
  readonly eventId: string;
  /** When this hub received it last. It may come late, when it is older than any token: it still ends open streams. */
  readonly receivedAt: number;
  /** It ends the credentials that are older than this time. */
  readonly before: number;
  readonly endsAt: number;
}

/** The revocations that were received in the last ten minutes. */
export class Revocations {
  readonly #clock: Clock;
  /** By credential; the newest revocation is the last entry. */
  readonly #byCredential = new Map<string, Revocation[]>();

  /**
   * Whether those from before the start of this hub are here too. Until then no token is accepted, since it may be one that was
   * revoked.
   */
  areComplete = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds the event if it is a revocation. Returns the id of the credential if the revocation is new. */
  add(event: EventHead): string | undefined {
    if (event.type !== 'credential_revoked') return undefined;
    const body = bodyOf(event);
    if (body.case !== 'credentialRevoked') return undefined;
    const { credential, secretsBeforeMs, endsAtMs } = body.value;
    if (credential.value === undefined) return undefined;
    const id = idOf(credential, event.userId);
    const { eventId } = event;
    const at = recordedAtOf(event) ?? this.#clock.now();
    const known = this.#byCredential.get(id) ?? [];
    const again = known.find((one) => one.eventId === eventId);
    const remembered = known.filter((one) => one !== again && !this.#isForgotten(one));
    this.#byCredential.delete(id);
    if (again) {
      this.#byCredential.set(id, [...remembered, { ...again, receivedAt: this.#clock.now() }]);
      return undefined;
    }
    const isRotation = secretsBeforeMs > 0n;
    this.#byCredential.set(id, [
      ...remembered,
      {
        eventId,
        receivedAt: this.#clock.now(),
        before: isRotation ? Number(secretsBeforeMs) : endedBefore[credential.case](at),
        endsAt: endsAtMs > secretsBeforeMs ? Number(endsAtMs) : immediately,
      },
    ]);
    this.#prune();
    return id;
  }

  /** When a credential ends or has ended, in milliseconds; infinite as long as no end is known. */
  endOf(credential: Credential): number {
    const { since, endsAt = Number.POSITIVE_INFINITY } = credential;
    let end = endsAt;
    for (const { before, endsAt: revokedAt } of idsOf(credential).flatMap(
      (id) => this.#byCredential.get(id) ?? [],
    ))
      if (since < before) end = Math.min(end, revokedAt);
    return end;
  }

  hasEnded(credential: Credential): boolean {
    return this.endOf(credential) <= this.#clock.now();
  }

  #isForgotten({ receivedAt }: Revocation): boolean {
    return receivedAt < this.#clock.now() - rememberedMs;
  }

  #prune(): void {
    for (const [id, revocations] of this.#byCredential) {
      if (!revocations.every((one) => this.#isForgotten(one))) return;
      this.#byCredential.delete(id);
    }
  }
}
