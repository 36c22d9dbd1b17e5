import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { hopHeaders, namedByConnection } from './hop-headers.ts';

const dropped = new Set([
  ...hopHeaders,
  'host',
  'content-length',
  'expect',
  'http2-settings',
  // Checked here, and no service needs the secret.
  'x-api-key',
  'forwarded',
  'x-real-ip',
]);

/** What an upstream gets to see of a call's headers, before the edge adds its own. */
export function requestHeaders(
  request: IncomingMessage,
  options: { withCookies: boolean },
): OutgoingHttpHeaders {
  const { headers } = request;
  const named = namedByConnection(headers.connection);
  const result: OutgoingHttpHeaders = {};
  for (const name in headers) {
    if (dropped.has(name) || named?.has(name) || isOurs(name)) continue;
    // Sessions are the dashboard's affair alone.
    if (name === 'cookie' && !options.withCookies) continue;
    result[name] = headers[name];
  }
  return result;
}

/** Only the edge states these; copies from outside are forgeries. */
const isOurs = (name: string) => name.startsWith('x-relay-') || name.startsWith('x-forwarded-');
