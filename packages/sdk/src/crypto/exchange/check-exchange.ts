import { fromBase64 } from '../bytes/base64.ts';
import { parsePublicKey, samePublicKey } from '../keys/public-key.ts';
import { refusal } from '../refusal.ts';
import type { PublicKeys } from './conversation-keys.ts';
import { exchangeBytes } from './exchange-bytes.ts';
import { formatFingerprint, sameFingerprint } from './fingerprint.ts';
import { isSignedBy } from './verify-signature.ts';

/** A key exchange as the relay shows it. */
export interface Exchange {
  readonly providerSignPubKey: string;
  readonly providerEncryptPubKey: string;
  readonly keySignature?: string | null | undefined;
}

/**
 * How sure it is whose keys these are. `known`: the expert with the fingerprint that was given or remembered.
 * `first-contact`: nobody was known before; remember the fingerprint. `unverified`: a plain client, whose
 * keys the relay could have swapped.
 */
export type Verification = 'known' | 'first-contact' | 'unverified';

export interface CheckedExchange extends PublicKeys {
  readonly fingerprint: string;
  readonly verified: Verification;
}

/** The agent's look at the expert's keys, before anything is written to them. */
export async function checkExchange(options: {
  requestId: string;
  own: PublicKeys;
  exchange: Exchange;
  /** The fingerprint of the expert who must be there. */
  known?: string | undefined;
}): Promise<CheckedExchange> {
  const { requestId, own, exchange, known } = options;
  const sign = parsePublicKey(exchange.providerSignPubKey, 'sign');
  const encrypt = parsePublicKey(exchange.providerEncryptPubKey, 'encrypt');
  refuseOwnKeys(own, { sign, encrypt });
  const { keySignature } = exchange;
  const signed = exchangeBytes(requestId, { consumer: own, provider: { sign, encrypt } });
  const [fingerprint, isProven] = await Promise.all([
    formatFingerprint(sign),
    isSignedBy(sign, fromBase64(keySignature ?? ''), signed),
  ]);
  if (known !== undefined && !sameFingerprint(known, fingerprint)) {
    throw unknownExpert(known, fingerprint);
  }
  const isSigned = keySignature !== undefined && keySignature !== null;
  if (known !== undefined && !isSigned) {
    throw refusal(
      'key_signature_missing',
      "Nothing proves that these keys are the expert's. Nothing was sent to them.",
    );
  }
  if (isSigned && !isProven) {
    throw refusal(
      'key_signature_wrong',
      'The expert did not sign these keys: somebody swapped them on their way. Nothing was sent to them.',
    );
  }
  const verified = known !== undefined ? 'known' : isSigned ? 'first-contact' : 'unverified';
  return { sign, encrypt, fingerprint, verified };
}

export const unknownExpert = (known: string, fingerprint = 'nobody') =>
  refusal(
    'unknown_expert',
    `Another expert answers: ${fingerprint} instead of ${known}. Nothing was sent to them.`,
    'Ask the expert over another channel whether the key is new.',
  );

/** Who is shown their own keys as the other side's would talk to themselves. */
export function refuseOwnKeys(own: PublicKeys, peer: PublicKeys): void {
  if (!samePublicKey(own.sign, peer.sign) && !samePublicKey(own.encrypt, peer.encrypt)) return;
  throw refusal('invalid_public_key', "The other side's keys are our own: somebody sent them back.");
}
