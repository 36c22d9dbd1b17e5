import type { ServerResponse } from 'node:http';
import { formatProblem } from './format-problem.ts';
import type { Problem } from './problem.ts';

/** Writes a problem as the answer; when the answer has begun already, breaks it off. */
export function sendProblem(response: ServerResponse, problem: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = formatProblem(problem);
  response.writeHead(status, headers);
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
