import { createLog, type Log } from '@expert-relay/kit/log';

export interface LogLine {
  readonly level: string;
  readonly service: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface CapturedLogs {
  /** The real log of a service, redaction and all, kept instead of printed. */
  logOf(service: string): Log;
  /** What was logged so far, oldest first. */
  readonly lines: readonly LogLine[];
}

export function captureLogs(): CapturedLogs {
  const lines: LogLine[] = [];
  const destination = { write: (text: string) => void lines.push(JSON.parse(text)) };
  return { logOf: (service) => createLog(service, { level: 'debug', destination }), lines };
}
