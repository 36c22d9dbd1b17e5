import type { IncomingMessage } from 'node:http';
import type { Express, Request, Response } from 'express';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';
import {
  createPrincipalGuard,
  type Principal,
  type PrincipalVerifier,
  principalHeader,
} from '../principal/index.ts';
import { Problem } from '../problem/index.ts';
import { bareApp } from './bare-app.ts';
import { handleErrors } from './handle-errors.ts';
import { limitLongAnswers } from './limit-long-answers.ts';
import { observeCalls } from './observe-calls.ts';
import { hasBody, readBody } from './read-body.ts';
import { readJson } from './read-json.ts';
import type { Route } from './route.ts';
import { sendAnswer } from './send-answer.ts';

/** An Express app of routes that accept signed principals only. */
export function serveRoutes(options: {
  routes: readonly Route[];
  verify: PrincipalVerifier;
  log: Log;
  metrics: Metrics;
  /** Answers of more than 64 KiB that one key or session may receive at the same time; 0 = no limit. */
  maxLongAnswers: number;
  /** Called with the principal of every call that is accepted. */
  onCaller?: (principal: Principal) => void;
  /** Whether an error only means that a server which this service needs is away. */
  isOutage?: (error: unknown) => boolean;
}): Express {
  const { routes, verify, log, metrics, onCaller, isOutage } = options;
  const requirePrincipal = createPrincipalGuard({ verify, log, metrics });
  const limitLong = limitLongAnswers(options.maxLongAnswers);
  const app = bareApp();
  app.use(observeCalls({ log, metrics }));

  for (const route of routes) {
    app[route.method](route.path, async (request: Request, response: Response) => {
      const stated = requirePrincipal(request.get(principalHeader), {
        method: request.method,
        path: request.originalUrl,
      });
      response.locals.isPolled = route.isPolled;
      response.locals.caller = stated.principal.kind;
      if (!route.allow.includes(stated.principal.kind)) throw new Problem('unauthorized');
      onCaller?.(stated.principal);
      // A body that the route does not take may still be too large: then the call must not take effect.
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
      const answer = await route.handle(call);
      await sendAnswer(response, answer, () => limitLong(stated.principal, response));
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
