import type { Identity } from './identity.ts';

export type IsAllowed = (identity: Identity) => boolean;

const loginPrefix = 'github:';

/**
 * Whether RELAY_ALLOWED_USERS allows an identity to sign in. The list does not apply to sign-in links, which the operator
 * makes, and to the dev sign-in, which exists only in the local run.
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
