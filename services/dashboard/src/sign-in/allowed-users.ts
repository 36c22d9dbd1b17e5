import { readFile } from 'node:fs/promises';
import { type Part, StartupError } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Identity } from './identity.ts';

export type IsAllowed = (identity: Identity) => boolean;

/** An entry of the list. */
export const allowedUser =
  /^(\*|@[^\s@:]+|[^\s@:]+@[^\s@:]+|github:[\w-]+|oidc:group\/[^\s,](?:[^,\r\n]*[^\s,])?)$/i;

const loginPrefix = 'github:';
const groupPrefix = 'oidc:group/';

/**
 * Whether the list of allowed users allows an identity to sign in. The list does not apply to sign-in links, which the operator
 * makes, nor to the dev sign-in, which exists only in the local run.
 */
export function createIsAllowed(options: { allowedUsers: readonly string[]; devLogin: boolean }): IsAllowed {
  const entries = options.allowedUsers.map(lowerCase);
  const isOpen = entries.includes('*');
  const behind = (prefix: string) =>
    new Set(entries.filter((entry) => entry.startsWith(prefix)).map((entry) => entry.slice(prefix.length)));
  const logins = behind(loginPrefix);
  // As they are written: a provider may have two groups whose names differ in case only.
  const groups = new Set(
    options.allowedUsers
      .filter((entry) => lowerCase(entry).startsWith(groupPrefix))
      .map((entry) => entry.slice(groupPrefix.length)),
  );
  const addresses = new Set(entries.filter((entry) => !entry.includes(':') && entry.includes('@')));

  return ({ provider, login, verifiedEmails, groups: ofIdentity = [] }) => {
    if (provider === 'link') return true;
    if (provider === 'dev') return options.devLogin;
    if (isOpen) return true;
    if (provider === 'github' && login !== undefined && logins.has(lowerCase(login))) return true;
    if (provider === 'oidc' && ofIdentity.some((group) => groups.has(group))) return true;
    return verifiedEmails.map(lowerCase).some((address) => {
      const domain = address.slice(address.lastIndexOf('@'));
      return addresses.has(address) || addresses.has(domain);
    });
  };
}

/** The list, with the entries of a file that may change. */
export interface AllowedUsers extends Part {
  readonly isAllowed: IsAllowed;
}

/**
 * A file that can no longer be read, or has a line that is no entry, changes nothing: the list stays as it was, and that is
 * logged. At the start it is an error: without the file, the sessions of those whom it allows would end.
 */
export function createAllowedUsers(options: {
  allowedUsers: readonly string[];
  file: string | undefined;
  devLogin: boolean;
  log: Log;
  /** Called when the list has changed. */
  onChange?: () => void;
  readIntervalMs?: number;
}): AllowedUsers {
  const { allowedUsers, file, devLogin, log, onChange, readIntervalMs = 5_000 } = options;
  let isAllowed = createIsAllowed({ allowedUsers, devLogin });
  let text: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastFailure: string | undefined;

  async function read(path: string): Promise<void> {
    const content = await readFile(path, 'utf8');
    if (content === text) return;
    const entries = entriesOf(content);
    // The entries are personal data, so the message only counts them.
    const wrong = entries.findIndex((entry) => !allowedUser.test(entry));
    if (wrong >= 0)
      throw new Error(`entry ${wrong + 1} of ${path} is none that RELAY_ALLOWED_USERS may have`);
    text = content;
    isAllowed = createIsAllowed({ allowedUsers: [...allowedUsers, ...entries], devLogin });
    log.info({ entries: entries.length }, 'the list of allowed users was read');
    onChange?.();
  }

  async function readOrReport(path: string): Promise<void> {
    try {
      await read(path);
      lastFailure = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== lastFailure)
        log.error({ reason: message }, 'the list of allowed users stays as it was');
      lastFailure = message;
    }
  }

  return {
    name: 'allowed users',
    isAllowed: (identity) => isAllowed(identity),
    async start() {
      if (file === undefined) return;
      await read(file).catch((error: Error) => {
        throw new StartupError(`RELAY_ALLOWED_USERS_FILE cannot be used: ${error.message}.`);
      });
      timer = setInterval(() => void readOrReport(file), readIntervalMs);
    },
    async stop() {
      clearInterval(timer);
    },
  };
}

/** Entries stand on lines of their own, or are separated by commas. What follows # is a comment. */
const entriesOf = (content: string): string[] =>
  content
    .split('\n')
    .flatMap((line) => line.replace(/#.*/, '').split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** ASCII only: `toLowerCase` turns the Kelvin sign into `k`, so that two different addresses would be equal. */
const lowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
