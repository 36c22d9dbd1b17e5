export { type ProblemCode, problems } from './catalogue.ts';
export {
  type FieldError,
  type FormattedProblem,
  formatProblem,
  Problem,
  type ProblemOptions,
  sendProblem,
  unavailable,
} from './problem.ts';
