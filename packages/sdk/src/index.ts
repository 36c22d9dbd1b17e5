export type { Answer } from './agent/answer.ts';
export type {
  AskAgainOptions,
  Conversation,
  ReceiptOptions,
  WaitOptions,
} from './agent/conversation.ts';
export type { ConversationState, Verification } from './agent/conversation-state.ts';
export { createRelay } from './agent/create-relay.ts';
export type { Decision, DecisionOptions } from './agent/decision.ts';
export type { FormOrSchema, Question } from './agent/question.ts';
export type {
  Approval,
  AskingOptions,
  Choice,
  Relay,
  RelayOptions,
} from './agent/relay.ts';
export type { Timing } from './client-options.ts';
export { confidentialQuestion } from './crypto/submission.ts';
export {
  RelayError,
  type RelayErrorCode,
  type RelayErrorName,
  type RelayErrorReason,
} from './relay-error.ts';
export type {
  ContextMessage,
  Follows,
  ListedRequest,
  ListOptions,
  Party,
  RequestState,
  RequestStatus,
  WhoAmI,
} from './request-state.ts';
export { createMemoryStore, type Store } from './store.ts';
export type { Message, Protection } from './thread/message.ts';
export type { MessageParts, ReceivedFile } from './thread/message-parts.ts';
export type { FileToSend } from './thread/parts-to-send.ts';
export type { SendOptions, SendResult } from './thread/sending.ts';
