import { fromBase64, toBase64 } from '@expert-relay/sdk/internal';
import { call, isConflict } from '../relay/call.ts';

/*
 * Texts that the expert uses often. The relay keeps them for all devices, encrypted with the expert key. A new expert key begins without.
 */

export const maxReplies = 50;

interface Sealed {
  readonly iv: string;
  readonly ciphertext: string;
}

interface Read {
  readonly replies: readonly string[];
  /** Required by a call that replaces them. */
  readonly etag: string | undefined;
}

export const readReplies = async (root: Uint8Array): Promise<readonly string[]> => (await read(root)).replies;

/** Changes what is stored now, which another device may have changed since it was shown. */
export async function changeReplies(
  root: Uint8Array,
  edit: (before: readonly string[]) => readonly string[],
): Promise<readonly string[]> {
  for (let attempt = 0; ; attempt++) {
    const { replies, etag } = await read(root);
    const edited = edit(replies);
    try {
      const body = { savedReplies: await seal(root, edited) };
      await call('/api/saved-replies', { method: 'PUT', body, replaces: etag });
      return edited;
    } catch (error) {
      if (!isConflict(error) || attempt >= 3) throw error;
    }
  }
}

async function read(root: Uint8Array): Promise<Read> {
  const { body, etag } = await call<{ savedReplies?: Sealed }>('/api/saved-replies');
  if (!body.savedReplies) return { replies: [], etag: undefined };
  // Those of an earlier expert key cannot be read any more.
  const replies = await unseal(root, body.savedReplies).catch(() => []);
  return { replies, etag };
}

async function seal(root: Uint8Array, replies: readonly string[]): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const text = new TextEncoder().encode(JSON.stringify(replies));
  const ciphertext = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await keyOf(root), text);
  return { iv: toBase64(iv), ciphertext: toBase64(new Uint8Array(ciphertext)) };
}

async function unseal(root: Uint8Array, { iv, ciphertext }: Sealed): Promise<readonly string[]> {
  const [nonce, bytes] = [fromBase64(iv), fromBase64(ciphertext)];
  if (!nonce || !bytes) return [];
  const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce }, await keyOf(root), bytes);
  return JSON.parse(new TextDecoder().decode(text));
}

/** docs/crypto-keys.md has this label, so that it is used for nothing else. */
const info = new TextEncoder().encode('expert-relay/v4/saved-replies');

async function keyOf(root: Uint8Array) {
  const secret = await crypto.subtle.importKey('raw', new Uint8Array(root), 'HKDF', false, ['deriveKey']);
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info };
  return crypto.subtle.deriveKey(algorithm, secret, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
}
