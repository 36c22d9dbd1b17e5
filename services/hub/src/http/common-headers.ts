import type { IncomingMessage } from 'node:http';

/** The contract's security headers. No page is served here, so a page may load nothing. */
export const securityHeaders = {
  'strict-transport-security': 'max-age=31536000',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'origin-when-cross-origin',
};

export type CommonHeaders = (request: IncomingMessage) => Readonly<Record<string, string>>;

/** The headers of every answer. Pages of the allowed origins may read it. */
export function createCommonHeaders(origins: readonly string[]): CommonHeaders {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));
  return ({ headers: { origin } }) => ({
    ...securityHeaders,
    vary: 'Origin',
    ...(origin !== undefined &&
      allowed.has(origin) && {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'Retry-After, x-request-id',
      }),
  });
}
