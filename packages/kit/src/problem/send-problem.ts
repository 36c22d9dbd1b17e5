import type { ServerResponse } from 'node:http';
import type { Problem } from './problem.ts';

/** Writes a problem as the answer; when the answer has begun already, breaks it off. */
export function sendProblem(response: ServerResponse, problem: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, {
    'cache-control': 'no-store',
    ...problem.headers,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
