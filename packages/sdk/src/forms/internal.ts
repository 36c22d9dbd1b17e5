/* What conversations use of forms, as one chunk. */
export {
  type DecisionState,
  decide,
  type GivenAnswer,
  readAnswer,
  readForm,
  type Standing,
} from './decide.ts';
export * from './index.ts';
