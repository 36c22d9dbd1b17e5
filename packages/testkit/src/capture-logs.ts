import { createLog, type Log } from '@expert-relay/kit/log';

export interface LogLine {
  readonly level: string;
  readonly service: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface CapturedLogs {
  /** The real log of a service, with its redaction. Its lines are kept instead of printed. */
  logOf(service: string): Log;
  /** All lines so far, oldest first. */
  readonly lines: readonly LogLine[];
}

export function captureLogs(): CapturedLogs {
  const lines: LogLine[] = [];
  const destination = { write: (text: string) => void lines.push(JSON.parse(text)) };
  return { logOf: (service) => createLog(service, { level: 'debug', destination }), lines };
}
