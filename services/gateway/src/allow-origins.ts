import type { EdgeStep } from './edge-call.ts';

const forPreflight = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Authorization, x-api-key',
  'access-control-max-age': '86400',
};

/** What a page's script needs beyond the headers that browsers show anyway. */
const exposed = 'Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, ETag, x-request-id';

/** CORS: pages of the given origins may call with a key. Pages of others see nothing of the answers. */
export function allowOrigins(origins: readonly string[]): EdgeStep {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));

  return (request, response, next) => {
    const { origin } = request.headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    response.setHeader('vary', 'Origin');
    if (isAllowed) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', exposed);
    }
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) {
      next();
      return;
    }
    response.locals.route = 'preflight';
    response.writeHead(204, isAllowed ? forPreflight : {}).end();
  };
}
