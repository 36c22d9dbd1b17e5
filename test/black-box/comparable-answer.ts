import type { Answer } from './http-call.ts';

/** Headers that differ between any two calls. */
const headersPerCall = new Set(['date', 'x-request-id', 'ratelimit', 'set-cookie']);

/** The parts of an answer that must be equal when callers must not see a difference. */
export function comparableAnswer({ status, headers, text }: Answer): object {
  const compared = Object.entries(headers).filter(([name]) => !headersPerCall.has(name));
  return { status, headers: Object.fromEntries(compared), text };
}
