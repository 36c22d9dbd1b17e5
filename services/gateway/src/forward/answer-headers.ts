import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { securityHeaders } from '../security-headers.ts';
import { hopHeaders, namedByConnection } from './hop-headers.ts';

const kept = new Set(Object.keys(securityHeaders));
// A page knows best what it loads: the upstream's own policy takes the place of the general one.
kept.delete('content-security-policy');
const dropped = new Set([...hopHeaders, ...kept, 'vary', 'x-request-id', 'x-powered-by']);

/** What the client gets to see of an upstream's headers; the edge's own stand already in its answer. */
export function answerHeaders(answer: IncomingMessage): OutgoingHttpHeaders {
  const { headers } = answer;
  const named = namedByConnection(headers.connection);
  const result: OutgoingHttpHeaders = {};
  for (const name in headers) {
    if (dropped.has(name) || named?.has(name) || isOurs(name)) continue;
    result[name] = headers[name];
  }
  if (headers.vary !== undefined) result.vary = `Origin, ${headers.vary}`;
  return result;
}

const isOurs = (name: string) => name.startsWith('x-relay-') || name.startsWith('access-control-');
