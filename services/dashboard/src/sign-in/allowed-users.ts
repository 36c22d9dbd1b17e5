import type { Identity } from './identity.ts';

export type IsAllowed = (identity: Identity) => boolean;

const loginPrefix = 'github:';

/**
 * Whether an identity may be signed in, by RELAY_ALLOWED_USERS. A sign-in link is the operator's own decision, and
 * the dev sign-in exists in the local run only: the list is not asked for these two.
 */
export function createIsAllowed(options: { allowedUsers: readonly string[]; devLogin: boolean }): IsAllowed {
  const entries = options.allowedUsers.map(lowerCase);
  const isOpen = entries.includes('*');
  const logins = new Set(
    entries.filter((entry) => entry.startsWith(loginPrefix)).map((entry) => entry.slice(loginPrefix.length)),
  );
  const addresses = new Set(entries.filter((entry) => entry.includes('@')));

  return ({ provider, login, verifiedEmails }) => {
    if (provider === 'link') return true;
    if (provider === 'dev') return options.devLogin;
    if (isOpen) return true;
    if (provider === 'github' && login !== undefined && logins.has(lowerCase(login))) return true;
    return verifiedEmails.map(lowerCase).some((address) => {
      const domain = address.slice(address.lastIndexOf('@'));
      return addresses.has(address) || addresses.has(domain);
    });
  };
}

/** ASCII only: `toLowerCase` turns the Kelvin sign into `k`, so that two different addresses would be equal. */
const lowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
