import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  verify,
} from 'node:crypto';

/** Thrown for whatever must not be accepted, with the code of the document. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export function refuseUnless(condition: boolean, code: string): asserts condition {
  if (!condition) throw new Refusal(code);
}

export function tuple(...members: (string | Buffer)[]): Buffer {
  return Buffer.concat(
    members.flatMap((member) => {
      const bytes = Buffer.from(member as string, 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

export const sha = (name: 'sha256' | 'sha512', bytes: Buffer): Buffer =>
  createHash(name).update(bytes).digest();

export function hkdf(ikm: Buffer, salt: Buffer | string, info: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', ikm, salt, info, 32));
}

/** Node takes anything for base64: only what it would write itself is canonical. */
export function base64(text: unknown, code: string, length?: number): Buffer {
  refuseUnless(typeof text === 'string', code);
  const bytes = Buffer.from(text, 'base64');
  refuseUnless(bytes.toString('base64') === text && (length ?? bytes.length) === bytes.length, code);
  return bytes;
}

const privateStart = {
  sign: '302e020100300506032b657004220420',
  encrypt: '302e020100300506032b656e04220420',
};
export const publicStart = { sign: '302a300506032b6570032100', encrypt: '302a300506032b656e032100' };

export function privateKey(kind: 'sign' | 'encrypt', raw: Buffer): KeyObject {
  const key = Buffer.concat([Buffer.from(privateStart[kind], 'hex'), raw]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

function toObject(kind: 'sign' | 'encrypt', raw: Buffer): KeyObject {
  const key = Buffer.concat([Buffer.from(publicStart[kind], 'hex'), raw]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

export function pemOf(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString();
}

export function verified(raw: Buffer, bytes: Buffer, signature: Buffer): boolean {
  return verify(null, bytes, toObject('sign', raw), signature);
}

export function agreed(own: KeyObject, peer: Buffer): Buffer {
  return diffieHellman({ privateKey: own, publicKey: toObject('encrypt', peer) });
}

export function decrypt(
  blob: { key: Buffer; iv: Buffer; ciphertext: Buffer; tag: Buffer; additional?: Buffer },
  code: string,
): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', blob.key, blob.iv).setAuthTag(blob.tag);
  if (blob.additional) decipher.setAAD(blob.additional);
  try {
    return Buffer.concat([decipher.update(blob.ciphertext), decipher.final()]);
  } catch {
    throw new Refusal(code);
  }
}
