export { hasCode } from '../relay-error.ts';
export { hasEnded } from '../request-state.ts';
export { quoteProblem } from './problem-error.ts';
export { readStream, readText } from './read-stream.ts';
export { parseJson } from './shape.ts';
export { withTimeout } from './waiting.ts';
