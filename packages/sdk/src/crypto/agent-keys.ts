import { notAsExported } from '../relay-error.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { type KeyPair, type OwnKeys, openKeyPair, ownKeys } from './own-keys.ts';

/** The private keys of an agent's conversation. Store them where only the agent can read them. */
export interface AgentKeysJson {
  /** The Ed25519 seed, base64. */
  readonly sign: string;
  /** The X25519 private key, base64. */
  readonly encrypt: string;
}

/**
 * The keys of an agent's conversation.
 *
 * @example
 * const keys = await makeAgentKeys();
 * const again = await restoreAgentKeys(keys.export());
 */
export interface AgentKeys extends OwnKeys {
  /** The private keys, for `restoreAgentKeys`. */
  export(): AgentKeysJson;
}

/**
 * Makes new keys for one conversation.
 *
 * @example
 * const keys = await makeAgentKeys();
 * const body = { consumerSignPubKey: keys.signPublic.pem, consumerEncryptPubKey: keys.encryptPublic.pem };
 */
export async function makeAgentKeys(): Promise<AgentKeys> {
  return agentKeys(await Promise.all([openKeyPair('sign'), openKeyPair('encrypt')]));
}

/**
 * The keys that `export()` returned.
 *
 * @example
 * const keys = await restoreAgentKeys(JSON.parse(saved));
 */
export async function restoreAgentKeys(json: AgentKeysJson): Promise<AgentKeys> {
  const [sign, encrypt] = [json.sign, json.encrypt].map((text) => fromBase64(String(text)));
  if (sign?.length !== 32 || encrypt?.length !== 32) {
    throw notAsExported();
  }
  return agentKeys(await Promise.all([openKeyPair('sign', sign), openKeyPair('encrypt', encrypt)]));
}

function agentKeys([signing, agreement]: readonly [KeyPair, KeyPair]): AgentKeys {
  const json = { sign: toBase64(signing.privateKey), encrypt: toBase64(agreement.privateKey) };
  return { ...ownKeys(signing, agreement), export: () => json };
}
