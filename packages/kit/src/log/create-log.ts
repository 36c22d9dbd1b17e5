import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';
import { openStandardOutput } from './standard-output.ts';

/** What an error may say besides. Others have what a client sent: `input` of an invalid address, `detail` of a refused row. */
const errorFields = [
  ...['type', 'message', 'stack', 'code', 'errno', 'syscall', 'address', 'port'],
  ...['severity', 'schema', 'table', 'column', 'constraint', 'routine'],
] as const;

function describeError(error: Error): object {
  const all: Readonly<Record<string, unknown>> = { ...pino.stdSerializers.err(error) };
  const known = errorFields.flatMap((name) => (name in all ? [[name, all[name]]] : []));
  const inner: unknown = (error as Partial<AggregateError> | null)?.errors;
  return {
    ...Object.fromEntries(known),
    ...(Array.isArray(inner) && { aggregateErrors: inner.map(describeError) }),
  };
}

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
      serializers: { err: describeError },
    },
    options.destination ?? openStandardOutput(service),
  );
}
