import type { Bytes } from '../bytes/bytes.ts';
import type { KeyPair } from './key-pair.ts';
import { type PublicKey, protectsNothing, publicKey } from './public-key.ts';

/** The two pairs of one side of a conversation. What is private stays inside. */
export interface OwnKeys {
  readonly signPublic: PublicKey;
  readonly encryptPublic: PublicKey;
  /** An Ed25519 signature. */
  sign(bytes: Bytes): Promise<Bytes>;
  /** The secret that this side shares with the owner of the other key: X25519. */
  agree(peer: PublicKey): Promise<Bytes>;
}

export function ownKeys(signing: KeyPair, agreement: KeyPair): OwnKeys {
  return {
    signPublic: publicKey(signing.publicKey, 'sign'),
    encryptPublic: publicKey(agreement.publicKey, 'encrypt'),
    sign: (bytes) => sign(signing, bytes),
    async agree({ raw }) {
      const secret = await agreeOn(agreement, raw).catch(() => undefined);
      if (secret?.some((byte) => byte !== 0)) return secret;
      throw protectsNothing('encrypt');
    },
  };
}

export async function sign({ key }: KeyPair, bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign('Ed25519', key, bytes));
}

async function agreeOn({ key }: KeyPair, raw: Bytes): Promise<Bytes> {
  const peer = await crypto.subtle.importKey('raw', raw, 'X25519', true, []);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: peer }, key, 256));
}
