import { RelayError } from '../../relay-error.ts';
import { fromBase64 } from '../bytes/base64.ts';
import { type Bytes, concat } from '../bytes/bytes.ts';
import { type PublicKey, publicKey } from './public-key.ts';

/** The two pairs of one side of a conversation. What is private stays inside. */
export interface OwnKeys {
  readonly signPublic: PublicKey;
  readonly encryptPublic: PublicKey;
  /** An Ed25519 signature. */
  sign(bytes: Bytes): Promise<Bytes>;
  /** The secret that this side shares with the owner of the other key: X25519. */
  agree(peer: PublicKey): Promise<Bytes>;
}

/** The DER bytes before the 32 of a private key, in PKCS #8. */
const pkcs8Start = (algorithm: 'Ed25519' | 'X25519') =>
  new Uint8Array([
    0x30,
    0x2e,
    2,
    1,
    0,
    0x30,
    5,
    6,
    3,
    0x2b,
    0x65,
    algorithm === 'Ed25519' ? 0x70 : 0x6e,
    4,
    0x22,
    4,
    0x20,
  ]);

const basePoint = Uint8Array.of(9, ...new Uint8Array(31));

export interface SigningPair {
  readonly signPublic: PublicKey;
  sign(bytes: Bytes): Promise<Bytes>;
}

/** The Ed25519 pair of a seed (RFC 8032). */
export async function signingPair(seed: Bytes): Promise<SigningPair> {
  const pkcs8 = concat(pkcs8Start('Ed25519'), seed);
  // Only an exported key tells its public half; what signs cannot be exported.
  const [exportable, key] = await Promise.all([
    crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']),
    crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']),
  ]);
  const { x = '' } = await crypto.subtle.exportKey('jwk', exportable);
  const raw = fromBase64(`${x.replaceAll('-', '+').replaceAll('_', '/')}=`);
  if (!raw) throw new TypeError('This platform does not tell the public half of an Ed25519 key.');
  return {
    signPublic: publicKey(raw, 'sign'),
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', key, bytes)),
  };
}

/** The X25519 pair of a private key (RFC 7748). */
export async function agreementPair(privateKey: Bytes): Promise<Pick<OwnKeys, 'encryptPublic' | 'agree'>> {
  const pkcs8 = concat(pkcs8Start('X25519'), privateKey);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'X25519', false, ['deriveBits']);
  const agreeOn = async (raw: Bytes) => {
    const peer = await crypto.subtle.importKey('raw', raw, 'X25519', true, []);
    return new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: peer }, key, 256));
  };
  return {
    encryptPublic: publicKey(await agreeOn(basePoint), 'encrypt'),
    async agree(peer) {
      const secret = await agreeOn(peer.raw).catch(() => undefined);
      if (secret?.some((byte) => byte !== 0)) return secret;
      throw new RelayError(
        'invalid_public_key',
        'No secret can be shared with this X25519 key. Do not go on with whoever sent it.',
      );
    },
  };
}
