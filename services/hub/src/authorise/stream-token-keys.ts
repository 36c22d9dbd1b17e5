import { createPublicKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '@expert-relay/kit/config';

/** The keys that stream tokens may be signed with. */
export function parseStreamTokenKeys(texts: readonly string[]): readonly KeyObject[] {
  const keys = texts.map(parse);
  if (keys.length > 0) return keys;
  throw new ConfigError([
    'RELAY_STREAM_TOKEN_PUBLIC_KEYS is not set. It must name the public half of RELAY_STREAM_TOKEN_PRIVATE_KEY.',
  ]);
}

function parse(text: string): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Said below, like a key of another kind.
  }
  throw new ConfigError([
    `RELAY_STREAM_TOKEN_PUBLIC_KEYS contains ${JSON.stringify(text)}. ` +
      'Each entry must be an Ed25519 public key, base64url of its SPKI DER.',
  ]);
}
