import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './route.ts';

export async function sendAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  const headers = { 'cache-control': 'no-store', ...answer.headers };
  if (answer.stream) {
    response.writeHead(answer.status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
    await pipeline(Readable.from(answer.stream), response);
    return;
  }
  if (answer.body === undefined) {
    response.writeHead(answer.status, headers).end();
    return;
  }
  const body = JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
