export { type ProblemCode, problems } from './catalogue.ts';
export { type FormattedProblem, formatProblem } from './format-problem.ts';
export { type FieldError, Problem, type ProblemOptions } from './problem.ts';
export { sendProblem } from './send-problem.ts';
