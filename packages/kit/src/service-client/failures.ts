import { Problem, unavailable } from '../problem/index.ts';

/**
 * Why there was no answer:
 * - `refused`: nothing listens at the port;
 * - `unreached`: no connection, for another reason;
 * - `late`: no head of an answer in time;
 * - `broken`: the connection ended before the answer.
 *
 * After the first two, the attempt has certainly not taken effect.
 */
export type Failure = 'refused' | 'unreached' | 'late' | 'broken';

export const hasBegun = (failure: Failure): boolean => failure === 'late' || failure === 'broken';

const unreachedCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export function failureOf({ code = '', syscall }: NodeJS.ErrnoException): Failure {
  if (code === 'ECONNREFUSED') return 'refused';
  // Connecting can fail with ETIMEDOUT too, so it is checked before that code.
  if (unreachedCodes.has(code) || syscall === 'connect') return 'unreached';
  return code === 'ETIMEDOUT' ? 'late' : 'broken';
}

/** A further attempt may reach another instance. A name that is not found stays so. */
export const mayReachAnother = (failure: Failure, { code }: NodeJS.ErrnoException): boolean =>
  failure === 'refused' || (failure === 'unreached' && code === 'ETIMEDOUT');

const events: Readonly<Record<Failure, string>> = {
  refused: 'cannot be reached',
  unreached: 'cannot be reached',
  late: 'did not answer in time',
  broken: 'broke off before it answered',
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
