/** The result of one check. Nothing works before a `fail` is repaired. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'fail';
  /** The subject of the check, in one or two words. */
  readonly about: string;
  readonly message: string;
  /** What to do. */
  readonly next?: string;
}

export const ok = (about: string, message: string): Finding => ({ state: 'ok', about, message });
export const warn = (about: string, message: string, next: string): Finding => ({
  state: 'warn',
  about,
  message,
  next,
});
export const fail = (about: string, message: string, next: string): Finding => ({
  state: 'fail',
  about,
  message,
  next,
});
