import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';

/** Without `child`: what a child log always says would not pass `hideSecrets`. */
export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>;

const writeAtBytes = 4_096;
const flushDelayMs = 100;

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
    options.destination ?? openStandardOutput(),
  );
}

/**
 * Lines are written together, since a write of each line costs more than making it: when there are enough of them,
 * after `flushDelayMs`, and at the end of the process. Pino's own `periodicFlush` wakes an idle process as well.
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
