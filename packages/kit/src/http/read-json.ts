import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/index.ts';
import { parseJson } from './parse-json.ts';
import { hasBody, readBody } from './read-body.ts';

/** The body of a call as one JSON object; an absent one, where that is allowed, as an empty object. */
export async function readJson(
  request: IncomingMessage,
  options: { optional?: boolean } = {},
): Promise<Record<string, unknown>> {
  if (!hasBody(request) && options.optional) return {};
  checkContentType(request);
  return parseJson(await readBody(request));
}

export function checkContentType(request: IncomingMessage): void {
  const [type, ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if (type?.trim() !== 'application/json' || !isUtf8 || request.headers['content-encoding'] !== undefined) {
    throw new Problem('unsupported_media_type');
  }
}
