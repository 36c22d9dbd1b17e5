import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';

/** Without `child`: what a child log always says would not pass `hideSecrets`. */
export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>;

/**
 * Lines leave together, at the latest after a tenth of a second and at the end of the process: a write for
 * each was dearer than making it.
 */
const standardOutput = { fd: 1, sync: false, minLength: 4_096, periodicFlush: 100 };

/**
 * One JSON line per event. Hiding secrets is the second net: the first is that code logs names, codes
 * and counts, never a request.
 */
export function createLog(
  service: string,
  options: { level: Level | 'silent'; destination?: DestinationStream },
): Log {
  return pino(
    {
      level: options.level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }), log: hideSecrets },
      serializers: { err: (error: Error) => hideSecrets(pino.stdSerializers.err(error)) },
    },
    options.destination ?? pino.destination(standardOutput),
  );
}
