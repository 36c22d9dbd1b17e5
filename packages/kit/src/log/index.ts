export { createLog, type Log } from './create-log.ts';
export { lastLine } from './last-line.ts';
