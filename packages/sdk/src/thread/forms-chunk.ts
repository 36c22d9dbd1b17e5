/* What is loaded with the first form of a conversation. */
export { readAnswer, readForm } from '../forms/decide.ts';
export { checkContent, describeContent, isApproval, readContent, toForm } from '../forms/index.ts';
export { standingOf } from './standing-of.ts';
