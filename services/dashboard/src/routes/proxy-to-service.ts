import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { checkContentType, readBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { Request, RequestHandler, Response } from 'express';
import type { Action } from './session-actions.ts';

/** Calls the service that owns an action with the session's principal, and sends its answer on. */
export const proxyToService =
  (action: Action, service: ServiceClient): RequestHandler =>
  async (request, response) =>
    sendOn(
      await callService(service, { method: request.method, to: action.to }, request, response),
      response,
    );

export async function callService(
  service: ServiceClient,
  { method, to }: { method: string; to: string },
  request: Request,
  response: Response,
): Promise<IncomingMessage> {
  const user = requireUser(request);
  const body = await bodyOf(request);
  return service.call({
    method,
    path: pathFor(to, request),
    route: to,
    principal: { kind: 'session', ...pick(user) },
    callId: response.locals.callId,
    headers: kept(request.headers, ['content-type', 'if-match', 'traceparent']),
    body,
    response,
  });
}

export async function sendOn(answer: IncomingMessage, response: Response): Promise<void> {
  const headers = kept(answer.headers, [
    'cache-control',
    'content-length',
    'content-type',
    'etag',
    'retry-after',
  ]);
  response.writeHead(answer.statusCode ?? 502, headers);
  try {
    await pipeline(answer, response);
  } catch {
    // The head is sent, so the answer can only be cut off. The service client has logged a break on its side.
    response.destroy();
  }
}

/** The user of a call of the session API. */
export function requireUser({ user }: Request): Express.User {
  if (!user) throw new Problem('unauthorized', { detail: 'Sign in first: /auth/login.' });
  return user;
}

const pick = ({ userId, sessionId }: Express.User) => ({ userId, sessionId });

function pathFor(to: string, request: Request): string {
  const id = request.params.id;
  const path = typeof id === 'string' ? to.replace(':id', encodeURIComponent(id)) : to;
  const query = request.originalUrl.indexOf('?');
  return query < 0 ? path : path + request.originalUrl.slice(query);
}

async function bodyOf(request: Request): Promise<Buffer | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const body = await readBody(request);
  if (body.length === 0) return undefined;
  checkContentType(request);
  return body;
}

function kept(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}
