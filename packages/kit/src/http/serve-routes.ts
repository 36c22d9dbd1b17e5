import type { IncomingMessage } from 'node:http';
import type { Express, Request, Response } from 'express';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { type Principal, type PrincipalVerifier, principalHeader } from '../principal/index.ts';
import { Problem } from '../problem/index.ts';
import { bareApp } from './bare-app.ts';
import { handleErrors } from './handle-errors.ts';
import { observeCalls } from './observe-calls.ts';
import { hasBody, readBody } from './read-body.ts';
import { readJson } from './read-json.ts';
import type { Route } from './route.ts';
import { sendAnswer } from './send-answer.ts';

/** An Express app of routes that believe nothing but a signed principal. */
export function serveRoutes(options: {
  routes: readonly Route[];
  verify: PrincipalVerifier;
  log: Log;
  metrics: Metrics;
  /** Hears of every caller that was let in. */
  onCaller?: (principal: Principal) => void;
  /** Whether an error only says that what the service stands on is away. */
  isOutage?: (error: unknown) => boolean;
}): Express {
  const { routes, verify, log, metrics, onCaller, isOutage } = options;
  const app = bareApp();
  app.use(observeCalls({ log, metrics }));

  for (const route of routes) {
    app[route.method](route.path, async (request: Request, response: Response) => {
      const stated = verify(request.get(principalHeader), {
        method: request.method,
        path: request.originalUrl,
      });
      response.locals.caller = stated?.principal.kind;
      if (!stated || !route.allow.includes(stated.principal.kind)) throw new Problem('unauthorized');
      onCaller?.(stated.principal);
      // One that nobody reads may still prove too large at its end: then the call must not have happened.
      if (!route.takesBody && hasBody(request)) await readBody(request);
      const call = {
        ...stated,
        params: request.params as Record<string, string>,
        query: queryOf(request),
        headers: request.headers,
        body: route.takesBody
          ? await readJson(request, { optional: route.takesBody === 'optional' })
          : undefined,
      };
      await sendAnswer(response, await route.handle(call));
    });
  }

  app.use(() => {
    throw new Problem('not_found');
  });
  app.use(handleErrors(log, isOutage ? { isOutage } : {}));
  return app;
}

function queryOf(request: IncomingMessage): URLSearchParams {
  const start = request.url?.indexOf('?') ?? -1;
  return new URLSearchParams(start < 0 ? '' : request.url?.slice(start + 1));
}
