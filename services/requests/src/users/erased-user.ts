import { Problem } from '@expert-relay/kit/problem';

/** Thrown when the user was erased while one of its sessions or keys still counted. */
export const erasedUser = () =>
  new Problem('unauthorized', { detail: 'This account was erased. Sign in to create a new one.' });
