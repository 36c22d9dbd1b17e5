import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/index.ts';
import { parseJson } from './parse-json.ts';

/** The contract's limit: 1 MiB. */
export const bodyLimit = 1_048_576;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;

const bodyChecks = new WeakMap<IncomingMessage, (body: Buffer) => void>();

/** A check that throws if the body of this call may not be used. It runs when the body is read. */
export function checkBodyWhenRead(request: IncomingMessage, check: (body: Buffer) => void): void {
  bodyChecks.set(request, check);
}

/** Reads a body, and runs its check: `requireCaller` compares it with the principal of the call. */
export async function readBody(request: IncomingMessage, limit = bodyLimit): Promise<Buffer> {
  const body = await receive(request, limit);
  bodyChecks.get(request)?.(body);
  return body;
}

/**
 * Reads a body, and counts the bytes that really arrive. Bytes beyond the limit are read and dropped, since the next call on
 * a kept-alive connection comes after them. The stream's own iterator would take most of the time.
 */
function receive(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let ended = false;
    const addPiece = (piece: Buffer) => {
      size += piece.length;
      if (size <= limit) {
        pieces.push(piece);
        return;
      }
      request.off('data', addPiece).resume();
      const detail = `The body of this call may hold at most ${limit.toLocaleString('en')} bytes.`;
      reject(new Problem('payload_too_large', limit === bodyLimit ? {} : { detail }));
    };
    const onClose = () => {
      if (!ended) reject(new ClientLeft());
    };
    request.on('data', addPiece);
    request.once('end', () => {
      ended = true;
      resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, size));
    });
    if (request.destroyed) onClose();
    else request.once('close', onClose);
  });
}

/** The client left and will not see a response; nothing failed here. It has the code of Node's own errors for this. */
export class ClientLeft extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';

  constructor() {
    super('the client left before the response');
  }
}

/** Reads the body of a call as one JSON object. With `optional`, an absent body is an empty object. */
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
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  const isPlain = encoding.toLowerCase() === 'identity';
  if (type?.trim() !== 'application/json' || !isUtf8 || !isPlain) throw new Problem('unsupported_media_type');
}
