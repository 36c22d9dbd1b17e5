import type { Role } from './key-exchange.ts';

/**
 * Whether a message in plain text may be shown. The relay could have written it, so that one who could have got an
 * encrypted message refuses it.
 */
export function mayShowPlaintext(options: {
  readonly reader: Role;
  /** The role that the relay states for its author. */
  readonly author: Role;
  readonly agentSentKeys: boolean;
  /** Whether the reader accepted or made an exchange of keys. */
  readonly isExchanged: boolean;
  /** The agent's setting. An expert has none. */
  readonly acceptUnprotected: boolean;
}): boolean {
  const { reader, author, agentSentKeys, isExchanged, acceptUnprotected } = options;
  if (isExchanged) return false;
  if (!agentSentKeys) return true;
  return reader === 'consumer' ? acceptUnprotected : author === 'provider';
}
