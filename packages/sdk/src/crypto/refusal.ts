import { RelayError, type RelayErrorCode } from '../relay-error.ts';

const refusals = new WeakSet<object>();

/** Whether an error ends a conversation for good: somebody between the two sides may have altered something. */
export const isRefusal = (error: unknown): error is RelayError => refusals.has(error as object);

/** An error that ends a conversation for good. */
export function refusal(
  code: RelayErrorCode,
  what: string,
  advice = 'Do not trust this relay before you know why.',
): RelayError {
  const error = new RelayError(code, `${what} ${advice}`);
  refusals.add(error);
  return error;
}

export const messageRefused = (code: RelayErrorCode, what: string, advice?: string): RelayError =>
  refusal(code, `${what} It is not shown.`, advice);
