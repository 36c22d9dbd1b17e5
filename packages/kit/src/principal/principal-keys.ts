import { createHmac, hash } from 'node:crypto';
import { ConfigError } from '../config/index.ts';

/** The keys that one caller and one callee share. The first one signs, all of them are accepted. */
export type PrincipalKeys = readonly [PrincipalKey, ...PrincipalKey[]];

export interface PrincipalKey {
  id: string;
  secret: Buffer;
}

/** Parses the value of a variable: `<id>:<base64url of 32 bytes>[,<id>:<...>]`. */
export function parsePrincipalKeys(variable: string, text: string): PrincipalKeys {
  const keys = text.split(',').map((entry) => {
    const [id = '', secret = ''] = entry.trim().split(':');
    return { id, secret: Buffer.from(secret, 'base64url') };
  });
  const [first, ...others] = keys;
  const isValid =
    keys.length <= 2 && keys.every(({ id, secret }) => /^[\w-]{1,32}$/.test(id) && secret.length >= 32);
  if (!first || !isValid) {
    throw new ConfigError([
      `${variable} is not valid (its value is not shown). It must be one or two entries ` +
        '<key id>:<base64url of at least 32 random bytes>, separated by a comma.',
    ]);
  }
  return [first, ...others];
}

export const macOf = (key: PrincipalKey, text: string): Buffer =>
  createHmac('sha256', key.secret).update(text).digest();

export const digestOf = (body: Buffer): Buffer => hash('sha256', body, 'buffer');
