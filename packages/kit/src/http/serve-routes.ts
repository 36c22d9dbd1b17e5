import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';
import {
  createPrincipalGuard,
  type Principal,
  type PrincipalKind,
  type PrincipalVerifier,
  type VerifiedCall,
} from '../principal/index.ts';
import { Problem } from '../problem/index.ts';
import type { Tracing } from '../tracing/index.ts';
import { type ErrorHandling, handleErrors } from './handle-errors.ts';
import { limitLongResponses } from './limit-long-responses.ts';
import { observeCalls } from './observe-calls.ts';
import { queuePerUser } from './queue-per-user.ts';
import { checkContentType, hasBody, readBody, readJson } from './read-body.ts';
import { requireCaller } from './require-caller.ts';
import { type RouteResponse, sendResponse } from './send-response.ts';

/** One call of a route, after its principal was verified and its body was read. */
export interface Call<K extends PrincipalKind = PrincipalKind> {
  readonly principal: Extract<Principal, { kind: K }>;
  /** The same when the gateway repeats the call after a broken connection. */
  readonly callId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON of a route that takes a body; its bytes if the route takes it `unparsed`. */
  readonly body: unknown;
}

/** One endpoint: where it is, who may call it, what it does. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express's notation: `/api/v1/message/:requestId`. */
  readonly path: string;
  readonly allow: readonly PrincipalKind[];
  /** Whether a JSON body is read; `optional` lets it be absent, and so does `unparsed`. */
  readonly takesBody: boolean | 'optional' | 'unparsed';
  /** Its successful calls are logged at debug: other services make many. */
  readonly isQuiet?: boolean;
  /** Whether the call may be long work for Postgres: the heavy calls of a user run one after another. */
  isHeavy?(call: Call): boolean;
  /** `response` is for cookies, and for calls that end when the client leaves. */
  handle(call: Call, response?: Response): Promise<RouteResponse>;
}

/** Types `call.principal` by the kinds that the route allows. */
export function defineRoute<const K extends PrincipalKind>(route: {
  method: Route['method'];
  path: string;
  allow: readonly K[];
  takesBody?: Route['takesBody'];
  isQuiet?: boolean;
  isHeavy?(call: Call<K>): boolean;
  handle(call: Call<K>, response: Response): Promise<RouteResponse>;
}): Route {
  return { takesBody: false, ...route } as unknown as Route;
}

/** Adds routes to an app. `identify` returns the principal of a call, or throws. */
export function mountRoutes(
  app: Express,
  options: {
    routes: readonly Route[];
    identify: (request: Request, response: Response) => VerifiedCall;
    /** Responses of more than 64 KiB that one user may receive at the same time; 0 = no limit. */
    maxLongResponses?: number;
    /** Calls of one user that run at the same time; further ones wait. */
    callsAtOnce?: number;
    /** Called with the principal of every call that is accepted. */
    onCaller?: ((principal: Principal) => void) | undefined;
  },
): void {
  const {
    routes,
    identify,
    maxLongResponses = 0,
    callsAtOnce = Number.POSITIVE_INFINITY,
    onCaller,
  } = options;
  const limitLong = limitLongResponses(maxLongResponses);
  const beginCall = queuePerUser(callsAtOnce);

  for (const route of routes) {
    app[route.method](route.path, async (request: Request, response: Response) => {
      const { principal, callId } = identify(request, response);
      response.locals.isQuiet = route.isQuiet;
      response.locals.caller = principal.kind;
      if (!route.allow.includes(principal.kind)) throw new Problem('unauthorized');
      onCaller?.(principal);
      const call = {
        principal,
        callId,
        params: request.params as Record<string, string>,
        query: queryOf(request),
        headers: request.headers,
        body: await bodyOf(request, route.takesBody),
      };
      const endCall = await beginCall(principal, response, { isHeavy: route.isHeavy?.(call) });
      try {
        const result = await route.handle(call, response);
        await sendResponse(response, result, () => {
          limitLong(principal, response);
          // From here on, the client decides how long it takes.
          endCall();
        });
      } finally {
        endCall();
      }
    });
  }
}

/** An Express app of routes that accept signed principals only. */
export function serveRoutes(options: {
  routes: readonly Route[];
  verify: PrincipalVerifier;
  log: Log;
  metrics: Metrics;
  tracing?: Tracing;
  maxLongResponses: number;
  /** Connections to Postgres of this service. One user's calls use up to four fifths of them. */
  poolSize: number;
  onCaller?: (principal: Principal) => void;
  /** What errors of the service's servers mean. */
  failures?: Pick<ErrorHandling, 'isOutage' | 'isErased'>;
}): Express {
  const { routes, verify, log, metrics, tracing, maxLongResponses, poolSize, onCaller, failures } = options;
  const requirePrincipal = createPrincipalGuard({ verify, log, metrics });
  const app = bareApp();
  app.use(observeCalls({ log, metrics, tracing }));
  mountRoutes(app, {
    routes,
    identify: (request) => requireCaller(request, requirePrincipal),
    maxLongResponses,
    callsAtOnce: Math.max(1, Math.floor(poolSize * 0.8)),
    onCaller,
  });
  app.use(() => {
    throw new Problem('not_found');
  });
  app.use(handleErrors(log, failures));
  return app;
}

/** Express without the features that are not used here. */
export function bareApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  return app;
}

function queryOf(request: IncomingMessage): URLSearchParams {
  const start = request.url?.indexOf('?') ?? -1;
  return new URLSearchParams(start < 0 ? '' : request.url?.slice(start + 1));
}

async function bodyOf(request: IncomingMessage, takes: Route['takesBody']): Promise<unknown> {
  if (takes === true || takes === 'optional') return readJson(request, { optional: takes === 'optional' });
  if (!hasBody(request)) return undefined;
  // A body that is too large is refused before the call takes effect, even if the route takes no body.
  const body = await readBody(request);
  if (takes !== 'unparsed' || body.length === 0) return undefined;
  checkContentType(request);
  return body;
}
