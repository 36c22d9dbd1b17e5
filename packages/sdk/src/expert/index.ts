export { createExpert } from './create-expert.ts';
export type { Expert, ExpertOptions } from './expert.ts';
export type { ExpertMessage, ExpertRequest } from './expert-request.ts';
