import { Problem, unavailable } from '../problem/index.ts';

/**
 * Why there was no response:
 * - `refused`: nothing listens at the port;
 * - `unreached`: no connection, for another reason;
 * - `late`: no head of a response in time;
 * - `broken`: the connection ended before the response.
 *
 * After the first two, the attempt has certainly not taken effect.
 */
export type Failure = 'refused' | 'unreached' | 'late' | 'broken';

export const hasBegun = (failure: Failure): boolean => failure === 'late' || failure === 'broken';

const connectTimeout = 'UND_ERR_CONNECT_TIMEOUT';
const unreachedCodes = new Set([connectTimeout, 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export function failureOf({ code = '', syscall }: NodeJS.ErrnoException): Failure {
  if (code === 'ECONNREFUSED') return 'refused';
  if (unreachedCodes.has(code) || syscall === 'connect') return 'unreached';
  return code === 'UND_ERR_HEADERS_TIMEOUT' ? 'late' : 'broken';
}

/** A further attempt may reach another instance. A name that is not found stays so. */
export const mayReachAnother = (failure: Failure, { code }: NodeJS.ErrnoException): boolean =>
  failure === 'refused' || code === connectTimeout || (failure === 'unreached' && code === 'ETIMEDOUT');

/** Whether a connection that broke had been used by an earlier call: the service may have closed it when it was idle. */
export const wasKeptAlive = (error: Error & { readonly socket?: { readonly bytesRead?: number } }): boolean =>
  (error.socket?.bytesRead ?? 0) > 0;

/** A response that this process destroys because its own client has left has no error, or another one. */
export const isOfService = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  ['UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT', 'ECONNRESET', responseTooLarge].includes(code);

/** The code of the error of a response that is longer than a service reads whole. */
export const responseTooLarge = 'ERR_RESPONSE_TOO_LARGE';

const events: Readonly<Record<Failure, string>> = {
  refused: 'cannot be reached',
  unreached: 'cannot be reached',
  late: 'did not answer in time',
  broken: 'broke off before its response',
};

export function problemOf(
  failure: Failure,
  call: { name: string; mayHaveTakenEffect: boolean; cause?: Error },
): Problem {
  const { name, mayHaveTakenEffect, cause } = call;
  const event = `The ${name} service ${events[failure]}`;
  if (!mayHaveTakenEffect) return unavailable(`${event}.`, { cause });
  const detail = `${event}: it is not known whether the call took effect.`;
  return new Problem('bad_gateway', { detail, headers: { 'retry-after': '2' }, cause });
}
