import { fromBase64 } from '../bytes/base64.ts';
import { type Bytes, equalBytes } from '../bytes/bytes.ts';
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

/** The agent checks the expert's keys before it encrypts anything for them. */
export async function checkExchange(options: {
  requestId: string;
  own: PublicKeys;
  exchange: Exchange;
  /** What the agent asked: {@link digestSubmission}. */
  submission: Bytes;
  /** The fingerprint of the expert who must be there. */
  known?: string | undefined;
}): Promise<CheckedExchange> {
  const { requestId, own, exchange, submission, known } = options;
  const sign = parsePublicKey(exchange.providerSignPubKey, 'sign');
  const encrypt = parsePublicKey(exchange.providerEncryptPubKey, 'encrypt');
  refuseOwnKeys(own, { sign, encrypt });
  const { keySignature } = exchange;
  const proof = fromBase64(keySignature ?? '') ?? new Uint8Array(0);
  // The question as the expert saw it, and the signature.
  const [shown, signature] = [proof.slice(0, digestLength), proof.slice(digestLength)];
  const signed = exchangeBytes(requestId, { consumer: own, provider: { sign, encrypt } }, shown);
  const [fingerprint, isProven] = await Promise.all([
    formatFingerprint(sign),
    isSignedBy(sign, signature, signed),
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
  if (isSigned && !equalBytes(shown, submission)) throw questionAltered();
  const verified = known !== undefined ? 'known' : isSigned ? 'first-contact' : 'unverified';
  return { sign, encrypt, fingerprint, verified };
}

/** Bytes of SHA-256. */
const digestLength = 32;

export const questionAltered = () =>
  refusal('question_altered', 'The expert was shown another question than was asked. Nothing was sent.');

export const unknownExpert = (known: string, fingerprint = 'nobody') =>
  refusal(
    'unknown_expert',
    `Another expert answers: ${fingerprint} instead of ${known}. Nothing was sent to them.`,
    'Ask the expert over another channel whether the key is new.',
  );

/** With its own keys as the other side's, a client would talk to itself. */
export function refuseOwnKeys(own: PublicKeys, peer: PublicKeys): void {
  if (!samePublicKey(own.sign, peer.sign) && !samePublicKey(own.encrypt, peer.encrypt)) return;
  throw refusal('invalid_public_key', "The other side's keys are our own.");
}
