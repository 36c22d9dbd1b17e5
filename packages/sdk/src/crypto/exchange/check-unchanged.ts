import { RelayError } from '../../relay-error.ts';
import { type PublicKey, parsePublicKey, samePublicKey } from '../keys/public-key.ts';
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
  new RelayError(
    'keys_changed',
    'The relay now shows no keys for this conversation, or others than before. Nothing more was sent. Ask anew, and do not trust this relay before you know why.',
  );
