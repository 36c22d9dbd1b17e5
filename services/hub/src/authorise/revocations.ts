import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { readBodyOf } from '../feed/read-event.ts';
import { type Credential, keyCredential, sessionCredential } from './credential.ts';

/** Longer than any token lives: what was revoked before has no token left. */
export const revocationMemory = 10 * 60_000;

/** Which credentials were revoked lately. */
export class Revocations {
  readonly #clock: Clock;
  readonly #onRevoked: (credentialId: string, at: number) => void;
  /** When, by id; the oldest first. */
  readonly #times = new Map<string, number>();

  constructor(options: { clock: Clock; onRevoked: (credentialId: string, at: number) => void }) {
    this.#clock = options.clock;
    this.#onRevoked = options.onRevoked;
  }

  /** Takes note of the event if it is a revocation. */
  learn(event: EventHead): void {
    if (event.type !== 'credential_revoked') return;
    const body = readBodyOf(event);
    if (body.case !== 'credentialRevoked') return;
    const { credential } = body.value;
    if (credential.value === undefined) return;
    const id =
      credential.case === 'apiKeyId' ? keyCredential(credential.value) : sessionCredential(credential.value);
    const at = event.readTime() ?? this.#clock.now();
    const known = this.#times.get(id);
    if (at < this.#clock.now() - revocationMemory || (known !== undefined && known >= at)) return;
    this.#times.delete(id);
    this.#times.set(id, at);
    this.#prune();
    this.#onRevoked(id, at);
  }

  /**
   * Whether the token is from before a revocation of what it rests on. A key whose secret was replaced keeps its
   * id, so that tokens from after it are good. Tokens tell their time in whole seconds, rounded down.
   */
  hits({ id, issuedAt }: Credential): boolean {
    const at = this.#times.get(id);
    return at !== undefined && issuedAt <= at;
  }

  #prune(): void {
    const oldest = this.#clock.now() - revocationMemory;
    for (const [id, at] of this.#times) {
      if (at >= oldest) return;
      this.#times.delete(id);
    }
  }
}
