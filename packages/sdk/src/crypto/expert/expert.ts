import { invalidInput } from '../../relay-error.ts';
import { toBase64 } from '../bytes/base64.ts';
import { type Bytes, concat, randomBytes } from '../bytes/bytes.ts';
import { tuple } from '../bytes/tuple.ts';
import { exchangeBytes } from '../exchange/exchange-bytes.ts';
import { formatFingerprint } from '../exchange/fingerprint.ts';
import { deriveBytes, importSecret } from '../keys/hkdf.ts';
import { openKeyPair } from '../keys/key-pair.ts';
import { type OwnKeys, ownKeys, sign } from '../keys/own-keys.ts';
import { type PublicKey, publicKey } from '../keys/public-key.ts';

/** An expert's keys: they all follow from one root, on each of the expert's devices the same. */
export interface Expert {
  readonly identity: PublicKey;
  /** What agents know the expert by. */
  readonly fingerprint: string;
  keysFor(requestId: string): Promise<OwnKeys>;
  /** The `keySignature` of a pick-up. */
  signExchange(exchange: ExchangeToSign): Promise<string>;
}

export interface ExchangeToSign {
  readonly requestId: string;
  /** The agent's keys, as they came. */
  readonly consumerSign: PublicKey;
  readonly consumerEncrypt: PublicKey;
  /** This expert's, of `keysFor(requestId)`. */
  readonly providerEncrypt: PublicKey;
  /** The question as it was shown to the expert: {@link digestSubmission}. */
  readonly submission: Bytes;
}

/** 32 random bytes. Whoever has them can read all of the expert's conversations: keep them safe. */
export function makeRoot(): Bytes {
  return randomBytes(32);
}

/**
 * @example
 * const expert = await openExpert(root);
 * const keys = await expert.keysFor(requestId);
 */
export async function openExpert(root: Uint8Array): Promise<Expert> {
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
    async signExchange({ requestId, consumerSign, consumerEncrypt, providerEncrypt, submission }) {
      const consumer = { sign: consumerSign, encrypt: consumerEncrypt };
      const provider = { sign: identity, encrypt: providerEncrypt };
      const signed = exchangeBytes(requestId, { consumer, provider }, submission);
      return toBase64(concat(submission, await sign(signing, signed)));
    },
  };
}
