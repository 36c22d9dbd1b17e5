import type { ServerResponse } from 'node:http';

type Headers = Readonly<Record<string, string>>;

export const jsonType = 'application/json; charset=utf-8';

/** JSON that is there as a whole: head and body leave in one write. */
export function sendText(response: ServerResponse, status: number, headers: Headers, text: string): void {
  response.writeHead(status, {
    ...headers,
    'content-type': jsonType,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
