export { createLog, type Log } from './create-log.ts';
