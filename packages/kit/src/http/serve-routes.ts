import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express } from 'express';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { type PrincipalVerifier, principalHeader } from '../principal/index.ts';
import { Problem } from '../problem/index.ts';
import { bareApp } from './bare-app.ts';
import { handleErrors } from './handle-errors.ts';
import { observeCalls } from './observe-calls.ts';
import { readJson } from './read-json.ts';
import type { Route } from './route.ts';
import { sendAnswer } from './send-answer.ts';

/** An Express app of routes that believe nothing but a signed principal. */
export function serveRoutes(options: {
  routes: readonly Route[];
  verify: PrincipalVerifier;
  log: Log;
  metrics: Metrics;
}): Express {
  const { routes, verify, log, metrics } = options;
  const app = bareApp();
  app.use(observeCalls({ log, metrics }));

  for (const route of routes) {
    app[route.method](route.path, async (request: express.Request, response: ServerResponse) => {
      const stated = verify(request.get(principalHeader), { method: request.method, path: request.originalUrl });
      if (!stated || !route.allow.includes(stated.principal.kind)) throw new Problem('unauthorized');
      const call = {
        ...stated,
        params: request.params as Record<string, string>,
        query: queryOf(request),
        headers: request.headers,
        body: route.takesBody ? await readJson(request, { optional: route.takesBody === 'optional' }) : undefined,
      };
      await sendAnswer(response, await route.handle(call));
    });
  }

  app.use(() => {
    throw new Problem('not_found');
  });
  app.use(handleErrors(log));
  return app;
}

function queryOf(request: IncomingMessage): URLSearchParams {
  const start = request.url?.indexOf('?') ?? -1;
  return new URLSearchParams(start < 0 ? '' : request.url?.slice(start + 1));
}
