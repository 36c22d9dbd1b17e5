import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';
import { openStandardOutput } from './standard-output.ts';

/** The fields of errors that are logged. Others may repeat what a client sent: `input` of an invalid address, `detail` of a refused row. */
const errorFields = [
  ...['type', 'name', 'message', 'stack', 'code', 'errno', 'syscall', 'address', 'port'],
  ...['severity', 'schema', 'table', 'column', 'constraint', 'routine'],
] as const;

function describeError(error: unknown): object {
  // What is thrown may be anything, also a text of a client.
  if (!(error instanceof Error)) return { type: typeof error };
  const all: Readonly<Record<string, unknown>> = pino.stdSerializers.err(error);
  const known = errorFields.flatMap((name) => (name in all ? [[name, all[name]]] : []));
  const { errors } = error as Partial<AggregateError>;
  return { ...Object.fromEntries(known), ...(errors && { aggregateErrors: errors.map(describeError) }) };
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
