import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@expert-relay/kit/clock';
import type { Request, Response } from 'express';

/** A value that the browser keeps for a limited time, signed so that only this service can write it. */
export interface SignedCookie<T> {
  /** Undefined when the cookie is absent, altered, expired or signed with an unknown secret. */
  read(request: Request): T | undefined;
  set(response: Response, value: T): void;
  clear(response: Response): void;
}

export interface CookieSettings {
  /** The first one signs. All of them are accepted. */
  readonly secrets: readonly string[];
  /** Whether browsers reach the relay over https. */
  readonly secure: boolean;
  readonly clock: Clock;
}

/** With https, the name by which browsers accept a cookie from this host only. */
export const hostCookieName = (name: string, isHttps: boolean): string => (isHttps ? `__Host-${name}` : name);

export function createSignedCookie<T>(
  options: CookieSettings & { name: string; maxAgeMs: number },
): SignedCookie<T> {
  const { secrets, secure, clock, maxAgeMs } = options;
  const name = hostCookieName(options.name, secure);
  // Each cookie has its own key, so that the value of one is not accepted as another one.
  const keys = secrets.map((secret) =>
    createHmac('sha256', secret).update(`cookie ${options.name}`).digest(),
  );
  const attributes = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;

  return {
    read(request) {
      const [payload = '', mac = ''] = (cookieOf(request, name) ?? '').split('.');
      const given = Buffer.from(mac, 'base64url');
      if (!keys.some((key) => isEqual(macOf(key, payload), given))) return undefined;
      const { value, until } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Content<T>;
      return until > clock.now() ? value : undefined;
    },
    set(response, value) {
      const content: Content<T> = { value, until: clock.now() + maxAgeMs };
      const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
      const [key = Buffer.alloc(0)] = keys;
      const mac = macOf(key, payload).toString('base64url');
      response.cookie(name, `${payload}.${mac}`, { ...attributes, maxAge: maxAgeMs });
    },
    clear(response) {
      response.clearCookie(name, attributes);
    },
  };
}

interface Content<T> {
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
