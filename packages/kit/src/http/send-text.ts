import type { ServerResponse } from 'node:http';
import { longAnswer } from './limit-long-answers.ts';

type Headers = Readonly<Record<string, string>>;

export const jsonType = 'application/json; charset=utf-8';

/** JSON that is there as a whole: head and body leave in one write. See `sendPieces` for `beforeLong`. */
export function sendText(
  response: ServerResponse,
  status: number,
  headers: Headers,
  text: string,
  beforeLong: () => void,
): void {
  const length = Buffer.byteLength(text);
  if (length > longAnswer) beforeLong();
  response.writeHead(status, { ...headers, 'content-type': jsonType, 'content-length': length });
  response.end(text);
}
