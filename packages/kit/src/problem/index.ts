export { type ProblemCode, problems } from './catalogue.ts';
export {
  type FieldError,
  type FormattedResponse,
  formatProblem,
  Problem,
  type ProblemOptions,
  sendFormatted,
  sendProblem,
  unavailable,
} from './problem.ts';
