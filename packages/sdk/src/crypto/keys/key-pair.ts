import { fromBase64 } from '../bytes/base64.ts';
import { type Bytes, concat } from '../bytes/bytes.ts';
import type { WebKey } from './hkdf.ts';
import { algorithms, type KeyKind } from './public-key.ts';

/** A pair of one's own. */
export interface KeyPair {
  /** What signs or agrees. It cannot be exported. */
  readonly key: WebKey;
  /** The private half, to be kept or forgotten. */
  readonly privateKey: Bytes;
  readonly publicKey: Bytes;
}

/** The DER bytes before the 32 of a private key, in PKCS #8. */
const pkcs8Start = (kind: KeyKind) =>
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
    kind === 'sign' ? 0x70 : 0x6e,
    4,
    0x22,
    4,
    0x20,
  ]);

/** The pair of a private key (RFC 8032, RFC 7748), or a new one. */
export async function openKeyPair(kind: KeyKind, privateKey?: Bytes): Promise<KeyPair> {
  const { subtle } = crypto;
  const algorithm = algorithms[kind];
  const usages: ('sign' | 'deriveBits')[] = [kind === 'sign' ? 'sign' : 'deriveBits'];
  const exportable = privateKey
    ? await subtle.importKey('pkcs8', concat(pkcs8Start(kind), privateKey), algorithm, true, usages)
    : ((await subtle.generateKey(algorithm, true, usages)) as { privateKey: WebKey }).privateKey;
  // Only an exported key tells its halves. As JWK it is also read back in a sixth of the time.
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
  throw new TypeError('This platform does not export keys.');
}
