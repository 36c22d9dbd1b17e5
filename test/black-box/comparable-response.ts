import type { HttpResponse } from './http-call.ts';

/** Headers that differ between any two calls. */
const headersPerCall = new Set(['date', 'x-request-id', 'ratelimit', 'set-cookie']);

/** The parts of a response that must be equal when callers must not see a difference. */
export function comparableResponse({ status, headers, text }: HttpResponse): object {
  const compared = Object.entries(headers).filter(([name]) => !headersPerCall.has(name));
  return { status, headers: Object.fromEntries(compared), text };
}
