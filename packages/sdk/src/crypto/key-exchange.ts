import { fromBase64 } from './base64.ts';
import { type Bytes, equalBytes, sha256, tuple } from './bytes.ts';
import { formatFingerprint, sameFingerprint } from './fingerprint.ts';
import { type PublicKey, parsePublicKey, samePublicKey } from './public-key.ts';
import { refusal } from './refusal.ts';
import { isSignedBy } from './verify-signature.ts';

export type Role = 'consumer' | 'provider';

/** The public keys of one side. */
export interface PublicKeys {
  readonly sign: PublicKey;
  readonly encrypt: PublicKey;
}

/** The public keys of both sides. */
export type ConversationKeys = Readonly<Record<Role, PublicKeys>>;

/** All four keys in a fixed order. Signatures and derived keys contain them, so they fail when one was replaced. */
export function keysInOrder({ consumer, provider }: ConversationKeys): Uint8Array[] {
  return [consumer.sign, consumer.encrypt, provider.sign, provider.encrypt].map(({ raw }) => raw);
}

/** The unencrypted question, as the agent submits it and as the relay shows it to the expert. */
export interface Submission {
  readonly question?: string | null | undefined;
  readonly plaintext?: string | null | undefined;
  /** The messages before the question, oldest first. */
  readonly messages?: readonly { readonly role: string; readonly content: string }[] | undefined;
}

/** The number of messages that the relay keeps: the last ones. */
const keptMessages = 10;

/**
 * The digest of a question, 32 bytes. In the key exchange the expert signs the digest of the question that it was
 * shown, and the agent compares it with the digest of the question that it asked.
 */
export async function digestSubmission({ question, plaintext, messages = [] }: Submission): Promise<Bytes> {
  const kept = messages.slice(-keptMessages).flatMap(({ role, content }) => [role, content]);
  return await sha256(tuple('expert-relay/v4/submission', question ?? '', plaintext ?? '', ...kept));
}

/** The bytes that the signature in `keySignature` covers. `submission` is the digest of the question. */
export function exchangeBytes(requestId: string, keys: ConversationKeys, submission: Bytes): Bytes {
  return tuple('expert-relay/v4/key-exchange', requestId, ...keysInOrder(keys), submission);
}

/** A key exchange as the relay shows it. */
export interface Exchange {
  readonly providerSignPubKey: string;
  readonly providerEncryptPubKey: string;
  readonly keySignature?: string | null | undefined;
}

/**
 * How sure it is whose keys these are. `known`: the expert whose fingerprint was given or remembered. `first-contact`:
 * no expert was known before; remember the fingerprint. `unverified`: the client does not sign its keys, so the relay
 * could have replaced them.
 */
export type Verification = 'known' | 'first-contact' | 'unverified';

export interface CheckedExchange extends PublicKeys {
  readonly fingerprint: string;
  readonly verified: Verification;
}

/** Checks the expert's keys. The agent does it before it encrypts anything for them. */
export async function checkExchange(options: {
  requestId: string;
  own: PublicKeys;
  exchange: Exchange;
  /** The digest of the agent's question: {@link digestSubmission}. */
  submission: Bytes;
  /** The fingerprint that the expert must have. */
  known?: string | undefined;
}): Promise<CheckedExchange> {
  const { requestId, own, exchange, submission, known } = options;
  const sign = parsePublicKey(exchange.providerSignPubKey, 'sign');
  const encrypt = parsePublicKey(exchange.providerEncryptPubKey, 'encrypt');
  refuseOwnKeys(own, { sign, encrypt });
  const { keySignature } = exchange;
  const proof = fromBase64(keySignature ?? '') ?? new Uint8Array(0);
  // The digest of the question as the expert saw it, then the signature.
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
      'The expert did not sign these keys: they were replaced on the way. Nothing was sent to them.',
    );
  }
  if (isSigned && !equalBytes(shown, submission)) throw questionAltered();
  const verified = known !== undefined ? 'known' : isSigned ? 'first-contact' : 'unverified';
  return { sign, encrypt, fingerprint, verified };
}

/** Length of SHA-256 in bytes. */
const digestLength = 32;

export const questionAltered = () =>
  refusal('question_altered', 'The expert was shown another question than was asked. Nothing was sent.');

export const unknownExpert = (known: string, fingerprint = 'unknown') =>
  refusal(
    'unknown_expert',
    `Another expert answers: ${fingerprint} instead of ${known}. Nothing was sent to them.`,
    'Ask the expert over another channel whether the key is new.',
  );

/** A client whose own keys are shown as the other side's would talk to itself. */
export function refuseOwnKeys(own: PublicKeys, peer: PublicKeys): void {
  if (!samePublicKey(own.sign, peer.sign) && !samePublicKey(own.encrypt, peer.encrypt)) return;
  throw refusal('invalid_public_key', "The other side's keys are our own.");
}

/** The keys of a conversation never change, so each later read is compared with the first one. */
export function checkUnchanged(
  first: PublicKeys,
  later: { sign: unknown; encrypt: unknown } | undefined,
): void {
  const same = later && isStill(first.sign, later.sign) && isStill(first.encrypt, later.encrypt);
  if (!same) throw keysChanged();
}

/** Usually the text is equal. Another encoding of the same key is accepted, too. */
const isStill = (first: PublicKey, later: unknown): boolean =>
  later === first.pem || samePublicKey(first, parsePublicKey(later, first.kind));

export const keysChanged = () =>
  refusal(
    'keys_changed',
    'The keys of this conversation are gone or have changed. Nothing was sent to them.',
  );
