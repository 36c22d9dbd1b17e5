import { RelayError } from '../../relay-error.ts';
import { parsePublicKey, samePublicKey } from '../keys/public-key.ts';
import type { PublicKeys } from './conversation-keys.ts';

/** The keys of a conversation never change: whoever reads them again compares them with the first sight. */
export function checkUnchanged(
  first: PublicKeys,
  later: { sign: unknown; encrypt: unknown } | undefined,
): void {
  const same =
    later &&
    samePublicKey(first.sign, parsePublicKey(later.sign, 'sign')) &&
    samePublicKey(first.encrypt, parsePublicKey(later.encrypt, 'encrypt'));
  if (!same) throw keysChanged();
}

export const keysChanged = () =>
  new RelayError(
    'keys_changed',
    'The relay now shows no keys for this conversation, or others than before. Nothing more was sent. Ask anew, and do not trust this relay before you know why.',
  );
