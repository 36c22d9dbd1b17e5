import type { Answer } from './http-call.ts';

/** What differs from call to call whatever is answered. */
const perCall = new Set(['date', 'x-request-id', 'ratelimit', 'set-cookie']);

/** All of an answer by which two could be told apart. */
export function comparableAnswer({ status, headers, text }: Answer): object {
  const told = Object.entries(headers).filter(([name]) => !perCall.has(name));
  return { status, headers: Object.fromEntries(told), text };
}
