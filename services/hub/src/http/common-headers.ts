import type { IncomingMessage } from 'node:http';

/** The contract's security headers. A page has no business here, so nothing may be loaded. */
const security = {
  'strict-transport-security': 'max-age=31536000',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'origin-when-cross-origin',
};

export type CommonHeaders = (request: IncomingMessage) => Readonly<Record<string, string>>;

/** What every answer carries; pages of the allowed origins may read it. */
export function createCommonHeaders(origins: readonly string[]): CommonHeaders {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));
  return ({ headers: { origin } }) => ({
    ...security,
    vary: 'Origin',
    ...(origin !== undefined && allowed.has(origin) && { 'access-control-allow-origin': origin }),
  });
}
