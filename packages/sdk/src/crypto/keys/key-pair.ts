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

/** The 16 DER bytes before the 32 of a private key, in PKCS #8. */
const pkcs8Start = (kind: KeyKind) =>
  fromBase64(`MC4CAQAwBQYDK2V${kind === 'sign' ? 'w' : 'u'}BCIEIA==`) as Bytes;

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
