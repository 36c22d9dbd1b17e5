import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';
import { openStandardOutput } from './standard-output.ts';

/** Without `child`, since the fixed fields of a child log would not pass through `hideSecrets`. */
export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>;

/**
 * Writes one JSON line for each event. Code logs names, codes and counts, and never a request; hiding secrets is the second
 * protection.
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
    options.destination ?? openStandardOutput(service),
  );
}
