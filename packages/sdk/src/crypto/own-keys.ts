import { fromBase64 } from './base64.ts';
import { type Bytes, concat } from './bytes.ts';
import type { WebKey } from './hkdf.ts';
import { algorithms, type KeyKind, type PublicKey, protectsNothing, publicKey } from './public-key.ts';

/** A private key with its public key. */
export interface KeyPair {
  /** The private key for WebCrypto. It cannot be exported. */
  readonly key: WebKey;
  /** The private key as bytes, to be saved. */
  readonly privateKey: Bytes;
  readonly publicKey: Bytes;
}

/** In PKCS #8: the 16 DER bytes before the 32 bytes of a private key. */
const pkcs8Start = (kind: KeyKind) =>
  fromBase64(`MC4CAQAwBQYDK2V${kind === 'sign' ? 'w' : 'u'}BCIEIA==`) as Bytes;

/** The key pair of a private key (RFC 8032, RFC 7748), or a new one. */
export async function openKeyPair(kind: KeyKind, privateKey?: Bytes): Promise<KeyPair> {
  const { subtle } = crypto;
  const algorithm = algorithms[kind];
  const usages: ('sign' | 'deriveBits')[] = [kind === 'sign' ? 'sign' : 'deriveBits'];
  const exportable = privateKey
    ? await subtle.importKey('pkcs8', concat(pkcs8Start(kind), privateKey), algorithm, true, usages)
    : ((await subtle.generateKey(algorithm, true, usages)) as { privateKey: WebKey }).privateKey;
  // Only an export shows the bytes. As JWK, the key is also imported six times as fast.
  const jwk = await subtle.exportKey('jwk', exportable);
  return {
    key: await subtle.importKey('jwk', jwk, algorithm, false, usages),
    privateKey: half(jwk.d),
    publicKey: half(jwk.x),
  };
}

function half(base64Url = ''): Bytes {
  const bytes = fromBase64(`${base64Url.replaceAll('-', '+').replaceAll('_', '/')}=`);
  if (bytes?.length === 32) return bytes;
  throw new TypeError('This platform exports no keys: update it.');
}

/** The two key pairs of one side of a conversation. Private keys are not exposed. */
export interface OwnKeys {
  readonly signPublic: PublicKey;
  readonly encryptPublic: PublicKey;
  /** An Ed25519 signature. */
  sign(bytes: Bytes): Promise<Bytes>;
  /** The shared secret with the owner of the other key: X25519. */
  agree(peer: PublicKey): Promise<Bytes>;
}

export function ownKeys(signing: KeyPair, agreement: KeyPair): OwnKeys {
  return {
    signPublic: publicKey(signing.publicKey, 'sign'),
    encryptPublic: publicKey(agreement.publicKey, 'encrypt'),
    sign: (bytes) => sign(signing, bytes),
    agree: (peer) => agreeWith(agreement, peer),
  };
}

export async function sign({ key }: KeyPair, bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign('Ed25519', key, bytes));
}

/** The shared secret of this pair and the other side's key: X25519. */
export async function agreeWith(agreement: KeyPair, { raw }: PublicKey): Promise<Bytes> {
  const secret = await agreeOn(agreement, raw).catch(() => undefined);
  if (secret?.some((byte) => byte !== 0)) return secret;
  throw protectsNothing('encrypt');
}

async function agreeOn({ key }: KeyPair, raw: Bytes): Promise<Bytes> {
  const peer = await crypto.subtle.importKey('raw', raw, 'X25519', true, []);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: peer }, key, 256));
}
