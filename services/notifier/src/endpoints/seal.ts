import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { KeysWithIds } from '@expert-relay/kit/config';
import type { SigningSecrets } from '../signatures/sign.ts';

/** What is stored of an endpoint in encrypted form, by its kind: the column `channel`. */
export interface Targets {
  readonly webhook: SigningSecrets & {
    readonly url: string;
    /** The call that rotated last, so that a repeated call finds it. */
    readonly rotatedBy?: string;
  };
  readonly push: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
    /** The public key of the relay with which the browser subscribed. */
    readonly pushKey: string;
  };
  readonly email: {
    readonly address: string;
    /** Of the links that end the emails. */
    readonly unsubscribeToken: string;
    /** Of the newest link that confirms the address. In milliseconds since 1970. */
    readonly confirmation?: { readonly token: string; readonly endsAt: number };
  };
  readonly chat: { readonly url: string };
}

export type EndpointKind = keyof Targets;
export type WebhookTarget = Targets['webhook'];

export interface Sealed {
  readonly sealingKeyId: string;
  readonly sealed: Buffer;
}

/** Encrypts the targets of endpoints at rest, with AES-256-GCM. The endpoint's id is authenticated too. */
export interface TargetSealer {
  /** The id of the key that encrypts. */
  readonly keyId: string;
  /** The ids of all keys. */
  readonly keyIds: readonly string[];
  seal(endpointId: string, target: Targets[EndpointKind]): Sealed;
  /** Throws when the key is not known any more, or the bytes were changed. */
  open<Kind extends EndpointKind>(endpointId: string, sealed: Sealed): Targets[Kind];
  /** The same where one endpoint that cannot be read must not hide the others: undefined for it. */
  tryOpen<Kind extends EndpointKind>(endpointId: string, sealed: Sealed): Targets[Kind] | undefined;
  /** A digest of an address that cannot be computed without the key. A rotation changes it. */
  digest(address: string): Buffer;
}

const ivBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** During a rotation there are two keys, of which the first encrypts. */
export function createTargetSealer(keys: KeysWithIds): TargetSealer {
  const [{ id: keyId, secret: key }] = keys;
  return {
    keyId,
    keyIds: keys.map(({ id }) => id),
    seal(endpointId, target) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(endpointId));
      const parts = [iv, cipher.update(JSON.stringify(target), 'utf8'), cipher.final(), cipher.getAuthTag()];
      return { sealingKeyId: keyId, sealed: Buffer.concat(parts) };
    },
    open: (endpointId, sealed) => open(keys, endpointId, sealed),
    tryOpen(endpointId, sealed) {
      try {
        return open(keys, endpointId, sealed);
      } catch {
        return undefined;
      }
    },
    digest: (address) => createHmac('sha256', key).update(`address ${address}`).digest(),
  };
}

function open(keys: KeysWithIds, endpointId: string, { sealingKeyId, sealed }: Sealed) {
  const known = keys.find(({ id }) => id === sealingKeyId);
  if (!known) throw new Error(`the key ${sealingKeyId} is not in RELAY_ENDPOINT_KEYS`);
  const decipher = createDecipheriv(algorithm, known.secret, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(endpointId)).setAuthTag(sealed.subarray(-tagBytes));
  const bytes = decipher.update(sealed.subarray(ivBytes, -tagBytes));
  return JSON.parse(Buffer.concat([bytes, decipher.final()]).toString());
}
