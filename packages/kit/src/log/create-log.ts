import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';

/** Without `child`, since the fixed fields of a child log would not pass through `hideSecrets`. */
export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>;

const writeAtBytes = 4_096;
const flushDelayMs = 100;

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
    options.destination ?? openStandardOutput(),
  );
}

/**
 * Writes many lines at once, since a write costs more than making a line: when there are enough of them, after
 * `flushDelayMs`, and at the end of the process. Pino's own `periodicFlush` would also wake an idle process.
 */
function openStandardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: false, minLength: writeAtBytes });
  const write = output.write.bind(output);
  let isFlushDue = false;
  output.write = (line) => {
    if (!isFlushDue) {
      isFlushDue = true;
      setTimeout(() => {
        isFlushDue = false;
        output.flush();
      }, flushDelayMs).unref();
    }
    return write(line);
  };
  return output;
}
