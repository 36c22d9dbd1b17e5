export { createExpert, createSessionExpert } from './create-expert.ts';
export type { Expert, ExpertEvent, ExpertOptions, SessionExpertOptions } from './expert.ts';
export type { AnswerOptions, ExpertMessage, ExpertRequest } from './expert-request.ts';
export type { ListedQuestion } from './list-questions.ts';
