export { type ProblemCode, problems } from './catalogue.ts';
export {
  type FieldError,
  type FormattedAnswer,
  formatProblem,
  Problem,
  type ProblemOptions,
  sendFormatted,
  sendProblem,
  unavailable,
} from './problem.ts';
