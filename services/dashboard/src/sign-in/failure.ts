import type { Identity } from './identity.ts';

/** The reasons why a sign-in did not succeed, explained to the person who tried. */
export const failures = {
  denied: {
    status: 403,
    title: 'Sign-in was cancelled',
    text: 'You did not allow Expert Relay to see who you are, so you are not signed in.',
  },
  expired: {
    status: 400,
    title: 'This sign-in cannot be completed',
    text: 'It took too long, was already used, or began in another browser. Please start again.',
  },
  not_allowed: {
    status: 403,
    title: 'You do not have access',
    text: 'This account is not on the list of people who may sign in here.',
  },
  unverified: {
    status: 403,
    title: 'You do not have access',
    text:
      'This account is not on the list of people who may sign in here, and it has no verified email address. If its ' +
      'address is on the list, verify it where you have the account, then sign in again.',
  },
  provider_failed: {
    status: 502,
    title: 'Sign-in does not work right now',
    text: 'We could not check who you are. Please try again in a few minutes.',
  },
  identity_taken: {
    status: 409,
    title: 'This account belongs to someone else here',
    text: 'Another user already signs in with it, so it was not added to your user.',
  },
  identity_exists: {
    status: 409,
    title: 'You already have an account of this kind',
    text: 'You already sign in with another account of the same kind. Remove that one first, then add this one.',
  },
  other_user: {
    status: 409,
    title: 'You are signed in as another user',
    text: 'Nothing was changed. To use this account instead, sign out first and then sign in with it.',
  },
  link_unusable: {
    status: 400,
    title: 'This link no longer works',
    text: 'A sign-in link works once and for a short time. Ask for a new one.',
  },
} as const;

export type FailureReason = keyof typeof failures;

export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  readonly reason: FailureReason;
  /** The account that was tried. */
  readonly account: string | undefined;
  /** Where it was tried. */
  readonly provider: Identity['provider'] | undefined;

  constructor(reason: FailureReason, options: { identity?: Identity; cause?: unknown } = {}) {
    super(reason, { cause: options.cause });
    this.reason = reason;
    this.account = options.identity?.label;
    this.provider = options.identity?.provider;
  }
}
