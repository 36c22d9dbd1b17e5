export {
  type Channel,
  type ChannelOptions,
  type Claim,
  type OpenedMessage,
  openChannel,
} from './channel/channel.ts';
export type { ChannelState } from './channel/history.ts';
export type { Encrypted, MessageRecord, SealedMessage } from './channel/message.ts';
export {
  type CheckedExchange,
  checkExchange,
  type Exchange,
  type Verification,
} from './exchange/check-exchange.ts';
export { checkUnchanged } from './exchange/check-unchanged.ts';
export type { ConversationKeys, PublicKeys, Role } from './exchange/conversation-keys.ts';
export { formatFingerprint, parseFingerprint, sameFingerprint } from './exchange/fingerprint.ts';
export { digestSubmission, type Submission } from './exchange/submission.ts';
export { type ExchangeToSign, type Expert, makeRoot, openExpert } from './expert/expert.ts';
export { type AgentKeys, type AgentKeysJson, makeAgentKeys, restoreAgentKeys } from './keys/agent-keys.ts';
export type { OwnKeys } from './keys/own-keys.ts';
export { type KeyKind, type PublicKey, parsePublicKey, samePublicKey } from './keys/public-key.ts';
export { makeRecoveryCode, parseRecoveryCode } from './vault/recovery-code.ts';
export { openVault, sealVault, type Vault } from './vault/vault.ts';
