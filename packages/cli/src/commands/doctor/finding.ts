/** What a look at one thing gave. `fail` is what must be mended before anything works. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was looked at, in one or two words. */
  readonly about: string;
  readonly message: string;
  /** What to do about it. */
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
