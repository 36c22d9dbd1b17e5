/* What is loaded with the first form of an agent. */
export { toForm } from '../forms/index.ts';
export { approve, choose } from './approve.ts';
export { waitForDecision } from './wait-for-decision.ts';
