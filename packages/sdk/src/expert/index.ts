export type { DecisionState } from '../forms/decide.ts';
export { createExpert } from './create-expert.ts';
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
  ExpertRequest,
  PendingAnswer,
  RequestForm,
} from './expert-request.ts';
export type { ListedQuestion } from './list-questions.ts';
export type { StoredVault } from './vault-calls.ts';
