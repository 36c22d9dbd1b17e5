import { invalidInput } from '../relay-error.ts';
import { type AgentKeys, restoreAgentKeys } from './agent-keys.ts';
import { toBase64 } from './base64.ts';
import { type Bytes, sha256, toUtf8, tuple } from './bytes.ts';
import { deriveBytes, importSecret } from './hkdf.ts';

/** What an agent needs to ask one question once, however often it starts again. */
export interface OnceKeys {
  readonly keys: AgentKeys;
  /** The `messageId` of the question when it is confidential. */
  readonly questionId: string;
}

/** Some implementations of HKDF take at most 1,024 bytes of `info`. */
const maxNameBytes = 255;

/**
 * The same keys for the same 32 secret bytes and the same name. A name stands for one question: use it for no other.
 *
 * @example
 * const { keys, questionId } = await onceKeys(secret, 'deploy 4711');
 */
export async function onceKeys(secret: Uint8Array, name: string): Promise<OnceKeys> {
  if (secret.length !== 32)
    throw invalidInput(`A secret has 32 bytes, this one ${secret.length}. Make one: openssl rand -base64 32`);
  checkName(name);
  const ikm = await importSecret(new Uint8Array(secret));
  const [sign, encrypt, id] = await Promise.all(
    ['sign', 'dh', 'question'].map((use) => deriveBytes(ikm, tuple(`expert-relay/v4/once-${use}`, name))),
  );
  const [seed, privateKey] = [toBase64(sign as Bytes), toBase64(encrypt as Bytes)];
  return {
    keys: await restoreAgentKeys({ sign: seed, encrypt: privateKey }),
    questionId: toUuid(id as Bytes),
  };
}

/**
 * The idempotency key of the submit that has this name, which is also the id of its conversation. It does not depend on the secret: with
 * another secret a question is refused, and not asked again.
 *
 * @example
 * const idempotencyKey = await onceId('deploy 4711');
 */
export async function onceId(name: string): Promise<string> {
  checkName(name);
  return toUuid(await sha256(tuple('expert-relay/v4/once-id', name)));
}

function checkName(name: string): void {
  const { length } = toUtf8(name);
  if (length === 0 || length > maxNameBytes) {
    throw invalidInput(`A name has 1 to ${maxNameBytes} bytes in UTF-8, this one ${length}.`);
  }
}

/** A UUID of the form of a random one, so that the relay cannot tell a confidential question by it. */
function toUuid(bytes: Bytes): string {
  const hex = Array.from(bytes.subarray(0, 16), (byte, at) => {
    const fixed = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte;
    return fixed.toString(16).padStart(2, '0');
  }).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
