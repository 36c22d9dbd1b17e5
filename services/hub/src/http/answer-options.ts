import type { ServerResponse } from 'node:http';

export const methods = 'GET, HEAD, OPTIONS';

/** A plain OPTIONS learns the methods; a preflight from an allowed origin what the contract allows its pages. */
export function answerOptions(response: ServerResponse): void {
  const isPreflight = response.req.headers['access-control-request-method'] !== undefined;
  if (!isPreflight) response.setHeader('allow', methods);
  if (isPreflight && response.hasHeader('access-control-allow-origin')) {
    response.setHeader('access-control-allow-methods', 'GET, POST, PUT, DELETE, OPTIONS');
    response.setHeader('access-control-allow-headers', 'Content-Type, Authorization, x-api-key');
    response.setHeader('access-control-max-age', '86400');
  }
  response.writeHead(204).end();
}
