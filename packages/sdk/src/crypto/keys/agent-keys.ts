import { RelayError } from '../../relay-error.ts';
import { fromBase64, toBase64 } from '../bytes/base64.ts';
import { type Bytes, randomBytes } from '../bytes/bytes.ts';
import { agreementPair, type OwnKeys, signingPair } from './own-keys.ts';

/** The private keys of an agent's conversation, to be kept where only the agent can read. */
export interface AgentKeysJson {
  /** The Ed25519 seed, base64. */
  readonly sign: string;
  /** The X25519 private key, base64. */
  readonly encrypt: string;
}

export interface AgentKeys extends OwnKeys {
  export(): AgentKeysJson;
}

/**
 * Fresh keys for one conversation.
 *
 * @example
 * const keys = await makeAgentKeys();
 * const body = { consumerSignPubKey: keys.signPublic.pem, consumerEncryptPubKey: keys.encryptPublic.pem };
 */
export async function makeAgentKeys(): Promise<AgentKeys> {
  return await agentKeys(randomBytes(32), randomBytes(32));
}

/** The keys that `export()` gave. */
export async function restoreAgentKeys(json: AgentKeysJson): Promise<AgentKeys> {
  const [sign, encrypt] = [json.sign, json.encrypt].map((text) => fromBase64(String(text)));
  if (sign?.length !== 32 || encrypt?.length !== 32) {
    throw new RelayError(
      'invalid_input',
      'These are not the keys of a conversation: expected what export() gave, unchanged. Without them the conversation cannot be read; ask anew.',
    );
  }
  return await agentKeys(sign, encrypt);
}

async function agentKeys(seed: Bytes, privateKey: Bytes): Promise<AgentKeys> {
  const [signing, agreement] = await Promise.all([signingPair(seed), agreementPair(privateKey)]);
  const json = { sign: toBase64(seed), encrypt: toBase64(privateKey) };
  return { ...signing, ...agreement, export: () => json };
}
