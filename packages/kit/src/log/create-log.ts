import { type DestinationStream, type Level, type Logger, pino } from 'pino';

export type Log = Logger;

/** What must never be written, wherever in a logged object it stands. */
const secretFields = [
  'apiKey',
  'authorization',
  'ciphertext',
  'content',
  'cookie',
  'encrypted',
  'key',
  'messages',
  'password',
  'plaintext',
  'principal',
  'question',
  'secret',
  'signature',
  'token',
  '["set-cookie"]',
  '["x-api-key"]',
  '["x-relay-principal"]',
];

const at = (parent: string) => (field: string) => (field.startsWith('[') ? parent + field : `${parent}.${field}`);

const redact = {
  paths: [
    ...secretFields,
    ...secretFields.map(at('*')),
    ...secretFields.map(at('*.*')),
  ],
  censor: '[redacted]',
};

/**
 * One JSON line per event. Redaction is the second net: the first is that code logs names, codes
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
      redact,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    options.destination ?? pino.destination({ fd: 1, sync: false }),
  );
}
