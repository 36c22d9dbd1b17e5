import type { Identity } from './identity.ts';

export type IsAllowed = (identity: Identity) => boolean;

/**
 * Whether an identity may be signed in, by RELAY_ALLOWED_USERS. A sign-in link is the operator's own decision, and
 * the dev sign-in exists in the local run only: the list is not asked for these two.
 */
export function createIsAllowed(options: { allowedUsers: readonly string[]; devLogin: boolean }): IsAllowed {
  const entries = new Set(options.allowedUsers.map((entry) => entry.toLowerCase()));

  return ({ provider, login, verifiedEmails }) => {
    if (provider === 'link') return true;
    if (provider === 'dev') return options.devLogin;
    if (entries.has('*')) return true;
    if (provider === 'github' && login !== undefined && entries.has(`github:${login.toLowerCase()}`))
      return true;
    return verifiedEmails.some((email) => {
      const address = email.toLowerCase();
      return entries.has(address) || entries.has(address.slice(address.lastIndexOf('@')));
    });
  };
}
