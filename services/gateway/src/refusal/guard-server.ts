import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { formatProblem, Problem } from '@expert-relay/kit/problem';
import { securityHeaders } from '../security-headers.ts';

/** What never becomes a request is answered here, past Express, with a problem and the headers of every answer. */
export function guardServer(server: Server, { stallLimit = 60_000 }: { stallLimit?: number } = {}): void {
  // Node destroys what moves no byte for so long: a client that does not read, above all.
  server.timeout = stallLimit;

  const latest = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => latest.set(request.socket, response));

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = latest.get(socket);
    const isFree =
      !response || response.writableFinished || (response.socket === socket && !response.headersSent);
    if (isFree && socket.writable && error.code !== 'ECONNRESET') socket.write(refusal(problemOf(error)));
    close(socket);
  });
  server.on('connect', (_request, socket) => {
    socket.write(refusal(new Problem('method_not_allowed', { headers: { allow: '' } })));
    close(socket);
  });
  // Whoever asks for leave to send a body gets it when the body is wanted (see CallBody).
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    server.on(event, (request, response) => server.emit('request', request, response));
  }
}

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout');
  return new Problem('invalid_request', { detail: 'This is not a well-formed HTTP/1.1 request.' });
}

function refusal(problem: Problem): string {
  const { status, headers, body } = formatProblem(problem);
  const all = {
    ...securityHeaders,
    vary: 'Origin',
    'x-request-id': randomUUID(),
    ...headers,
    connection: 'close',
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n');
}

/** Lets what was written arrive, and then waits for nothing more. */
function close(socket: Duplex): void {
  socket.end();
  setTimeout(() => socket.destroy(), 1_000).unref();
}
