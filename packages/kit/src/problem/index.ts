export { type ProblemCode, problems } from './catalogue.ts';
export {
  type FieldError,
  type FormattedProblem,
  formatProblem,
  Problem,
  type ProblemOptions,
  sendProblem,
} from './problem.ts';
