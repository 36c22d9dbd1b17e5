import type { IncomingMessage } from 'node:http';
import { checkContentType, parseJson } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { CallBody } from '../forward/call-body.ts';

/** The `apiKey` of a submit: the only body that the edge reads, since its key is inside. */
export async function keyInBody(request: IncomingMessage, body: CallBody | undefined): Promise<string> {
  const { apiKey } = body ? await readObject(request, body) : {};
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

async function readObject(request: IncomingMessage, body: CallBody): Promise<Record<string, unknown>> {
  checkContentType(request);
  return parseJson(await body.read());
}
