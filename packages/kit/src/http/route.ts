import type { IncomingHttpHeaders } from 'node:http';
import type { Principal, PrincipalKind } from '../principal/index.ts';
import type { Pieces } from './send-pieces.ts';

/** One call of a route, after its principal was found valid and its body read. */
export interface Call<K extends PrincipalKind = PrincipalKind> {
  readonly principal: Extract<Principal, { kind: K }>;
  /** The same when the gateway repeats the call after a broken connection. */
  readonly callId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON of a route that takes a body. */
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** JSON text in pieces, for answers that may be long; instead of `body`. */
  readonly stream?: Pieces;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One endpoint: where it is, who may call it, what it does. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express's notation: `/api/v1/message/:requestId`. */
  readonly path: string;
  readonly allow: readonly PrincipalKind[];
  /** Whether a JSON body is read; `optional` lets it be absent. */
  readonly takesBody: boolean | 'optional';
  /** Another service calls it every few seconds: the access lines of its successful calls are written at debug. */
  readonly isPolled?: boolean;
  handle(call: Call): Promise<Answer>;
}

/** Types `call.principal` by the kinds that the route allows. */
export function defineRoute<const K extends PrincipalKind>(route: {
  method: Route['method'];
  path: string;
  allow: readonly K[];
  takesBody?: boolean | 'optional';
  isPolled?: boolean;
  handle(call: Call<K>): Promise<Answer>;
}): Route {
  return { takesBody: false, ...route } as unknown as Route;
}
