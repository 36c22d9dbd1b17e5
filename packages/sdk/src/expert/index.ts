export { awaitedPartsMs } from '../client-options.ts';
export type { DecisionState } from '../forms/decide.ts';
export type { MessageParts, ReceivedFile } from '../thread/message-parts.ts';
export type { FileToSend } from '../thread/parts-to-send.ts';
export { createExpert, createSessionExpert } from './create-expert.ts';
export type {
  Expert,
  ExpertEvent,
  ExpertOptions,
  RequestsOptions,
  SessionExpertOptions,
} from './expert.ts';
export type {
  AnswerOptions,
  CountedDecision,
  Deciding,
  ExpertMessage,
  ExpertRequest,
  PendingAnswer,
  RequestForm,
} from './expert-request.ts';
export type { ListedQuestion } from './list-questions.ts';
export type { StoredVault } from './vault-calls.ts';
