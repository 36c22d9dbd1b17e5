import { createServer, type RequestListener, type Server } from 'node:http';

/** A requests service that has no revocations. `exchange` answers each exchange of a key. */
export const createTestRequests = (exchange: RequestListener): Server =>
  createServer((call, response) => {
    if (call.url === '/internal/revocations') response.end(JSON.stringify({ events: [] }));
    else exchange(call, response);
  });
