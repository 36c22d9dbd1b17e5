/** For people who write another client: the protocol of docs/crypto.md, one step for each function. */
export { type AgentKeys, makeAgentKeys, restoreAgentKeys } from './agent-keys.ts';
export { type Channel, type ChannelOptions, openChannel } from './channel.ts';
export type { Part } from './frame.ts';
export type { ChannelState } from './history.ts';
export {
  checkExchange,
  checkPickUp,
  checkUnchanged,
  type Exchange,
  type Role,
} from './key-exchange.ts';
export type { MessageRecord, SealedMessage } from './message.ts';
export { onceKeys } from './once-keys.ts';
export { readParts, writeParts } from './parts.ts';
export { type PublicKey, parsePublicKey, samePublicKey } from './public-key.ts';
export { agentVersions, digestSubmission, type Submission } from './submission.ts';
