import { RelayError, type RelayErrorCode } from '../relay-error.ts';

/** Somebody between the two sides may do what must not be done. */
export const refusal = (
  code: RelayErrorCode,
  what: string,
  advice = 'Do not trust this relay before you know why.',
): RelayError => new RelayError(code, `${what} ${advice}`);

export const messageRefused = (code: RelayErrorCode, what: string, advice?: string): RelayError =>
  refusal(code, `${what} It is not shown.`, advice);
