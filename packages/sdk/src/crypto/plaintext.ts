import type { Role } from './key-exchange.ts';

/**
 * Whether a message in plain text may be shown before keys were exchanged; afterwards none is. The relay could have
 * written it, so it is refused by a side that could have received an encrypted one.
 */
export function mayShowPlaintext(options: {
  readonly reader: Role;
  /** The role that the relay states for its author. */
  readonly author: Role;
  readonly agentSentKeys: boolean;
  /** The agent's setting. An expert has none. */
  readonly acceptUnprotected: boolean;
}): boolean {
  const { reader, author, agentSentKeys, acceptUnprotected } = options;
  if (!agentSentKeys) return true;
  return reader === 'consumer' ? acceptUnprotected : author === 'provider';
}
