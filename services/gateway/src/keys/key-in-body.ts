import type { IncomingMessage } from 'node:http';
import { checkContentType, parseJson } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';

/** The `apiKey` of a submit. No other body is parsed at the edge. */
export function keyInBody(request: IncomingMessage, body: Buffer | undefined): string {
  const { apiKey } = body ? readObject(request, body) : {};
  if (typeof apiKey === 'string') return apiKey;
  const isMissing = apiKey === undefined || apiKey === null;
  throw new Problem('invalid_request', {
    fields: [
      isMissing
        ? { path: 'apiKey', code: 'required', message: 'This member is required.' }
        : { path: 'apiKey', code: 'type', message: 'Expected a text: the consumer key, hs_...' },
    ],
  });
}

function readObject(request: IncomingMessage, body: Buffer): Record<string, unknown> {
  checkContentType(request);
  return parseJson(body);
}
