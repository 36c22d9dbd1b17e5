export { createExpert } from './create-expert.ts';
export type { Expert, ExpertEvent, ExpertOptions } from './expert.ts';
export type { AnswerOptions, ExpertMessage, ExpertRequest } from './expert-request.ts';
