import { RelayError } from '../relay-error.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { type Bytes, equalBytes, randomBytes, toUtf8, tuple } from './bytes.ts';
import { openExpertKeys } from './expert-keys.ts';
import { deriveAesKey, importSecret } from './hkdf.ts';
import { parseRecoveryCode } from './recovery-code.ts';

/** An expert's root, encrypted with the recovery code. The relay keeps it for the expert's other devices. */
export interface Vault {
  readonly scheme: 'expert-relay/v4';
  readonly identity: string;
  readonly salt: string;
  readonly iv: string;
  readonly ciphertext: string;
}

const scheme = 'expert-relay/v4';

/**
 * Encrypts the root with a recovery code.
 *
 * @example
 * const vault = await sealVault(root, await makeRecoveryCode());
 * await expert.writeVault(vault);
 */
export async function sealVault(
  root: Uint8Array,
  code: string,
  random: (length: number) => Bytes = randomBytes,
): Promise<Vault> {
  const { identity } = await openExpertKeys(root);
  const [salt, iv] = [random(16), random(12)];
  const key = await wrappingKey(code, salt);
  const ciphertext = await crypto.subtle.encrypt(cipher(iv, identity.raw), key, new Uint8Array(root));
  return {
    scheme,
    identity: toBase64(identity.raw),
    salt: toBase64(salt),
    iv: toBase64(iv),
    ciphertext: toBase64(new Uint8Array(ciphertext)),
  };
}

/**
 * Decrypts the root.
 *
 * @throws RelayError `wrong_recovery_code`, `untrusted` (`malformed_vault`)
 *
 * @example
 * const stored = await expert.readVault();
 * const root = stored && (await openVault(stored.vault, recoveryCode));
 */
export async function openVault(vault: Vault, code: string): Promise<Bytes> {
  const identity = member(vault, 'identity', 32);
  const salt = member(vault, 'salt', 16);
  const iv = member(vault, 'iv', 12);
  const ciphertext = member(vault, 'ciphertext', 48);
  if (vault.scheme !== scheme) throw malformed('its scheme is not expert-relay/v4');
  const key = await wrappingKey(code, salt);
  const root = await crypto.subtle.decrypt(cipher(iv, identity), key, ciphertext).catch(() => undefined);
  if (!root) {
    throw new RelayError(
      'wrong_recovery_code',
      'This recovery code does not open the vault: it belongs to another one, or the vault was altered. Use the code that was shown last.',
    );
  }
  const bytes = new Uint8Array(root);
  const expert = await openExpertKeys(bytes);
  if (!equalBytes(expert.identity.raw, identity)) throw malformed('it holds another identity than it names');
  return bytes;
}

function member(vault: Vault, name: 'identity' | 'salt' | 'iv' | 'ciphertext', length: number): Bytes {
  const text: unknown = vault?.[name];
  const bytes = typeof text === 'string' ? fromBase64(text) : undefined;
  if (bytes?.length !== length) throw malformed(`its ${name} is not ${length} bytes in base64`);
  return bytes;
}

function malformed(why: string): RelayError {
  return new RelayError(
    'malformed_vault',
    `This vault cannot be opened: ${why}. Use a device that still has the key, or make a new one.`,
  );
}

async function wrappingKey(code: string, salt: Bytes) {
  const secret = await importSecret(toUtf8(await parseRecoveryCode(code)));
  return await deriveAesKey(secret, salt, tuple('expert-relay/v4/vault'));
}

function cipher(iv: Bytes, identity: Uint8Array) {
  return { name: 'AES-GCM', iv, additionalData: tuple('expert-relay/v4/vault', identity) };
}
