import { invalidInput } from '../relay-error.ts';
import { type Bytes, randomBytes, tuple } from './bytes.ts';
import { formatFingerprint } from './fingerprint.ts';
import { deriveBytes, importSecret } from './hkdf.ts';
import { exchangeBytes, type PublicKeys, writeProof } from './key-exchange.ts';
import { type OwnKeys, openKeyPair, ownKeys, sign } from './own-keys.ts';
import { type PublicKey, publicKey } from './public-key.ts';

/**
 * An expert's keys. All are derived from one root, so they are the same on each of the expert's devices.
 *
 * @example
 * const { fingerprint } = await openExpertKeys(root);
 * console.log(`Agents take answers of ${fingerprint} only.`);
 */
export interface ExpertKeys {
  readonly identity: PublicKey;
  /** Agents recognize the expert by it. */
  readonly fingerprint: string;
  /** The keys for one request. */
  keysFor(requestId: string): Promise<OwnKeys>;
  /** The `keySignature` of a pick-up. */
  signExchange(exchange: ExchangeToSign): Promise<string>;
}

export interface ExchangeToSign {
  readonly requestId: string;
  /** The agent's keys, as the relay shows them. */
  readonly consumer: PublicKeys;
  /** This expert's key, from `keysFor(requestId)`. */
  readonly providerEncrypt: PublicKey;
  /** The digest of the question that the expert was shown: `digestSubmission`. */
  readonly submission: Bytes;
}

/**
 * 32 random bytes. They allow anyone to read all of the expert's conversations: keep them secret.
 *
 * @example
 * await writeFile('expert-key', makeRoot(), { mode: 0o600, flag: 'wx' });
 */
export function makeRoot(): Bytes {
  return randomBytes(32);
}

/**
 * Derives an expert's keys.
 *
 * @example
 * const { fingerprint } = await openExpertKeys(root);
 */
export async function openExpertKeys(root: Uint8Array): Promise<ExpertKeys> {
  if (root.length !== 32) {
    throw invalidInput(`A root has 32 bytes, this one ${root.length}: the recovery code restores it.`);
  }
  const secret = await importSecret(new Uint8Array(root));
  const signing = await openKeyPair('sign', await deriveBytes(secret, tuple('expert-relay/v4/expert-sign')));
  const identity = publicKey(signing.publicKey, 'sign');
  return {
    identity,
    fingerprint: await formatFingerprint(identity),
    async keysFor(requestId) {
      const privateKey = await deriveBytes(secret, tuple('expert-relay/v4/expert-dh', requestId));
      return ownKeys(signing, await openKeyPair('encrypt', privateKey));
    },
    async signExchange({ requestId, consumer, providerEncrypt, submission: submissionDigest }) {
      const keys = { consumer, provider: { sign: identity, encrypt: providerEncrypt } };
      const signed = exchangeBytes(requestId, keys, submissionDigest);
      return writeProof(submissionDigest, await sign(signing, signed));
    },
  };
}
