export { type AgentKeys, type AgentKeysJson, makeAgentKeys, restoreAgentKeys } from './agent-keys.ts';
export {
  type Channel,
  type ChannelOptions,
  type Claim,
  type OpenedMessage,
  openChannel,
  type SealOptions,
} from './channel.ts';
export {
  type ExchangeToSign,
  type ExpertKeys,
  makeRoot,
  openExpertKeys,
} from './expert-keys.ts';
export { formatFingerprint, parseFingerprint, sameFingerprint } from './fingerprint.ts';
export type { Part } from './frame.ts';
export type { ChannelState } from './history.ts';
export type { ConversationKeys, PublicKeys, Role } from './key-exchange.ts';
export {
  type CheckedExchange,
  checkExchange,
  checkPickUp,
  checkUnchanged,
  type Exchange,
  type ExchangeVerification,
} from './key-exchange.ts';
export type { Encrypted, MessageRecord, SealedMessage } from './message.ts';
export { type OnceKeys, onceId, onceKeys } from './once-keys.ts';
export type { OwnKeys } from './own-keys.ts';
export { type AnswerPart, type FilePart, type KnownParts, readParts, writeParts } from './parts.ts';
export { type KeyKind, type PublicKey, parsePublicKey, samePublicKey } from './public-key.ts';
export { makeRecoveryCode, parseRecoveryCode } from './recovery-code.ts';
export { agentVersions, digestSubmission, type Submission } from './submission.ts';
export { openVault, sealVault, type Vault } from './vault.ts';
