import type { RelayError } from '../relay-error.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { type Bytes, concat, equalBytes, sha256, tuple } from './bytes.ts';
import { formatFingerprint, sameFingerprint } from './fingerprint.ts';
import { type PublicKey, parsePublicKey, samePublicKey } from './public-key.ts';
import { refusal } from './refusal.ts';
import { isSignedBy } from './verify-signature.ts';

/** The agent is the consumer, the expert the provider. */
export type Role = 'consumer' | 'provider';

/** The public keys of one side. */
export interface PublicKeys {
  readonly sign: PublicKey;
  readonly encrypt: PublicKey;
}

/** The public keys of both sides. */
export type ConversationKeys = Readonly<Record<Role, PublicKeys>>;

/** The wire version of this code. */
const version = 4;
/** The wire versions that an expert with this code understands, as `keySignature` lists them. */
const ownVersions: Bytes = Uint8Array.of(version);
const maxVersions = 16;

/**
 * The bytes that the signature in `keySignature` covers. The order of the keys is fixed, so a signature fails when one was replaced. In
 * docs/crypto-exchange.md, and so in the options of exported functions, `submissionDigest` is `submission`: what `digestSubmission` returns.
 */
export function exchangeBytes(
  requestId: string,
  { consumer, provider }: ConversationKeys,
  submissionDigest: Bytes,
  versions: Bytes = ownVersions,
): Bytes {
  const inOrder = [consumer.sign, consumer.encrypt, provider.sign, provider.encrypt].map(({ raw }) => raw);
  return tuple('expert-relay/v4/key-exchange', requestId, ...inOrder, submissionDigest, versions);
}

/** `keySignature` in bytes. */
interface Proof {
  /** The digest of the question that the expert was shown. */
  readonly submissionDigest: Bytes;
  readonly signature: Bytes;
  /** The wire versions that the expert's client understands, ascending. */
  readonly versions: Bytes;
}

const digestLength = 32;
const signatureLength = 64;

export function writeProof(submissionDigest: Bytes, signature: Bytes): string {
  return toBase64(concat(submissionDigest, signature, ownVersions));
}

/** Undefined for another form, also when there is none. */
function readProof(keySignature: string | null | undefined): Proof | undefined {
  const bytes = fromBase64(keySignature ?? '') ?? new Uint8Array(0);
  const end = digestLength + signatureLength;
  const versions = bytes.slice(end);
  const isAscending = versions.every((one, at) => at === 0 || one > (versions[at - 1] as number));
  if (versions.length === 0 || versions.length > maxVersions || !isAscending) return undefined;
  return {
    submissionDigest: bytes.slice(0, digestLength),
    signature: bytes.slice(digestLength, end),
    versions,
  };
}

/** Names a conversation: its request, all four keys, the question and the versions. Every message is bound to it. */
export async function digestConversation(
  requestId: string,
  keys: ConversationKeys,
  submissionDigest: Bytes,
  keySignature: Exchange['keySignature'],
): Promise<Bytes> {
  return await sha256(exchangeBytes(requestId, keys, submissionDigest, readProof(keySignature)?.versions));
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
export type ExchangeVerification = 'known' | 'first-contact' | 'unverified';

/** The expert's keys, after they were checked. */
export interface CheckedExchange extends PublicKeys {
  /** The expert's. Of several known experts, it says which one this is. */
  readonly fingerprint: string;
  readonly verification: ExchangeVerification;
}

/**
 * Checks the expert's keys. The agent does it before it encrypts anything for them.
 *
 * @example
 * const own = { sign: keys.signPublic, encrypt: keys.encryptPublic };
 * const peer = await checkExchange({ requestId, own, exchange, submission, known: [fingerprint] });
 */
export async function checkExchange(options: {
  requestId: string;
  own: PublicKeys;
  exchange: Exchange;
  /** The digest of the agent's question: {@link digestSubmission}. */
  submission: Bytes;
  /** The fingerprints that the expert may have. None: the expert is not known yet. */
  known?: readonly string[] | undefined;
  /** Whether unsigned keys are accepted of an expert that is not known. Default false. */
  acceptUnprotected?: boolean | undefined;
}): Promise<CheckedExchange> {
  const { requestId, own, exchange, submission: submissionDigest, known = [], acceptUnprotected } = options;
  const { keySignature } = exchange;
  const peer = readKeys(exchange);
  refuseOwnKeys(own, peer);
  const fingerprint = await formatFingerprint(peer.sign);
  // All are read, so that a mistyped one is always reported.
  const isKnown = known.filter((one) => sameFingerprint(one, fingerprint)).length > 0;
  if (known.length > 0 && !isKnown) throw unknownExpert(known, fingerprint);
  if (keySignature === undefined || keySignature === null) {
    if (isKnown || !acceptUnprotected) throw keySignatureMissing();
    return { ...peer, fingerprint, verification: 'unverified' };
  }
  const keys = { consumer: own, provider: peer };
  await checkProof(keySignature, requestId, keys, submissionDigest, keySignatureWrong);
  return { ...peer, fingerprint, verification: isKnown ? 'known' : 'first-contact' };
}

/**
 * Checks an exchange that exists already: made by this device, by another of its devices, or by an attacker.
 *
 * @example
 * await checkPickUp({ requestId, own: expertKeys, consumer: agentKeys, exchange, submission });
 */
export async function checkPickUp(options: {
  requestId: string;
  /** The expert's keys for this request. */
  own: PublicKeys;
  /** The agent's keys. */
  consumer: PublicKeys;
  exchange: Exchange;
  /** The digest of the question that this device shows. */
  submission: Bytes;
}): Promise<void> {
  const { requestId, own, consumer, exchange, submission: submissionDigest } = options;
  const provider = readKeys(exchange);
  if (!samePublicKey(provider.sign, own.sign)) throw otherKeys();
  const keys = { consumer, provider };
  await checkProof(exchange.keySignature, requestId, keys, submissionDigest, keysChanged);
  if (!samePublicKey(provider.encrypt, own.encrypt)) throw keysChanged();
}

const readKeys = ({ providerSignPubKey, providerEncryptPubKey }: Exchange): PublicKeys => ({
  sign: parsePublicKey(providerSignPubKey, 'sign'),
  encrypt: parsePublicKey(providerEncryptPubKey, 'encrypt'),
});

/** Checks that the expert signed this. Keys are checked before the question. */
async function checkProof(
  keySignature: string | null | undefined,
  requestId: string,
  keys: ConversationKeys,
  submissionDigest: Bytes,
  wrong: () => RelayError,
): Promise<void> {
  const proof = readProof(keySignature);
  if (!proof) throw wrong();
  const { signature, versions } = proof;
  // Before the signature, since a client of another version may sign other bytes.
  if (!versions.includes(version)) throw unsupportedVersion();
  const signed = exchangeBytes(requestId, keys, proof.submissionDigest, versions);
  if (!(await isSignedBy(keys.provider.sign, signature, signed))) throw wrong();
  if (!equalBytes(proof.submissionDigest, submissionDigest)) throw questionAltered();
}

const unsupportedVersion = () =>
  refusal(
    'unsupported_version',
    `The expert's client does not speak version ${version}. Nothing was sent.`,
    'Bring both sides to the same version. If they are, the exchange was altered on the way.',
  );

const keySignatureMissing = () =>
  refusal(
    'key_signature_missing',
    "Nothing proves that these keys are the expert's. Nothing was sent to them.",
  );

const keySignatureWrong = () =>
  refusal(
    'key_signature_wrong',
    'The expert did not sign these keys: they were replaced on the way. Nothing was sent to them.',
  );

export const questionAltered = () =>
  refusal('question_altered', 'The expert was shown another question than was asked. Nothing was sent.');

export const unknownExpert = (known: readonly string[], fingerprint = 'unknown') =>
  refusal(
    'unknown_expert',
    `Another expert answers: ${fingerprint} instead of ${known.join(' or ')}. Nothing was sent to them.`,
    'Ask the expert over another channel whether the key is new. If it is, set RELAY_EXPERT (in code: `expert`) to the new fingerprint.',
  );

/** A client whose own keys are shown as the other side's would talk to itself. */
export function refuseOwnKeys(own: PublicKeys, peer: PublicKeys): void {
  if (!samePublicKey(own.sign, peer.sign) && !samePublicKey(own.encrypt, peer.encrypt)) return;
  throw refusal('invalid_public_key', "The other side's keys are our own.");
}

/**
 * The keys of a conversation never change, so each later read is compared with the first one.
 *
 * @throws RelayError `keys_changed`
 *
 * @example
 * const { providerSignPubKey: sign, providerEncryptPubKey: encrypt } = exchange;
 * checkUnchanged(peer, { sign, encrypt });
 */
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

const otherKeys = () =>
  refusal(
    'keys_changed',
    'This request was picked up with other keys than yours.',
    'Answer it where those are.',
  );
