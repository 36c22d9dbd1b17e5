export { quoteProblem } from './problem-error.ts';
export { readStream, readText } from './read-stream.ts';
export { withTimeout } from './waiting.ts';
