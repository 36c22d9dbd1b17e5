import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@expert-relay/kit/clock';
import type { Request, Response } from 'express';

/** A value that the browser keeps for a limited time, signed so that only this service can write it. */
export interface SealedCookie<T> {
  /** Absent, altered, expired or signed with a forgotten secret: `undefined`. */
  read(request: Request): T | undefined;
  set(response: Response, value: T): void;
  clear(response: Response): void;
}

export interface CookieSettings {
  /** The first signs, all are accepted. */
  readonly secrets: readonly string[];
  /** Whether browsers reach the relay over https. */
  readonly secure: boolean;
  readonly clock: Clock;
}

export function createSealedCookie<T>(
  options: CookieSettings & { name: string; maxAgeMs: number },
): SealedCookie<T> {
  const { secrets, secure, clock, maxAgeMs } = options;
  const name = secure ? `__Host-${options.name}` : options.name;
  // A key for each cookie: the value of one is not accepted as that of another.
  const keys = secrets.map((secret) =>
    createHmac('sha256', secret).update(`cookie ${options.name}`).digest(),
  );
  const attributes = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;

  return {
    read(request) {
      const [payload = '', mac = ''] = (cookieOf(request, name) ?? '').split('.');
      const given = Buffer.from(mac, 'base64url');
      if (!keys.some((key) => isEqual(macOf(key, payload), given))) return undefined;
      const { value, until } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Sealed<T>;
      return until > clock.now() ? value : undefined;
    },
    set(response, value) {
      const sealed: Sealed<T> = { value, until: clock.now() + maxAgeMs };
      const payload = Buffer.from(JSON.stringify(sealed)).toString('base64url');
      const [key = Buffer.alloc(0)] = keys;
      const mac = macOf(key, payload).toString('base64url');
      response.cookie(name, `${payload}.${mac}`, { ...attributes, maxAge: maxAgeMs });
    },
    clear(response) {
      response.clearCookie(name, attributes);
    },
  };
}

interface Sealed<T> {
  value: T;
  until: number;
}

const macOf = (key: Buffer, payload: string): Buffer => createHmac('sha256', key).update(payload).digest();

const isEqual = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

function cookieOf({ headers }: Request, name: string): string | undefined {
  return headers.cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
