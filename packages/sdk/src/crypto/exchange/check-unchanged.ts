import { type PublicKey, parsePublicKey, samePublicKey } from '../keys/public-key.ts';
import { refusal } from '../refusal.ts';
import type { PublicKeys } from './conversation-keys.ts';

/** The keys of a conversation never change: whoever reads them again compares them with the first sight. */
export function checkUnchanged(
  first: PublicKeys,
  later: { sign: unknown; encrypt: unknown } | undefined,
): void {
  const same = later && isStill(first.sign, later.sign) && isStill(first.encrypt, later.encrypt);
  if (!same) throw keysChanged();
}

/** Mostly it is the same text; another spelling of the same key is fine too. */
const isStill = (first: PublicKey, later: unknown): boolean =>
  later === first.pem || samePublicKey(first, parsePublicKey(later, first.kind));

export const keysChanged = () =>
  refusal(
    'keys_changed',
    'The keys of this conversation are gone or have changed. Nothing was sent to them.',
  );
